// ARIA tabs whose choice is kept in the address: #BRAIN/TAB.

const kTabs = ["teach", "ask", "brain", "unknowns"];

export function place_in_address() {
  const [brain, tab] = location.hash.slice(1).split("/");
  let name = null;
  try {
    name = brain ? decodeURIComponent(brain) : null;
  } catch {
    // a damaged address names no brain
  }
  return { brain: name, tab: kTabs.includes(tab) ? tab : null };
}

// chosen(key) is called when another tab is shown.
export class Tabs {
  #chosen;
  current = null;

  constructor(chosen) {
    this.#chosen = chosen;
    kTabs.forEach((key, at) => {
      const tab = this.tab(key);
      tab.addEventListener("click", () => this.choose(key));
      tab.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        const to = event.key === "Home" ? 0 : event.key === "End" ? kTabs.length - 1 : step ? (at + step + kTabs.length) % kTabs.length : null;
        if (to === null) return;
        event.preventDefault();
        this.choose(kTabs[to]);
        this.tab(kTabs[to]).focus();
      });
    });
  }
  tab(key) {
    return document.getElementById(`tab-${key}`);
  }
  panel(key) {
    return document.getElementById(`panel-${key}`);
  }

  choose(key) {
    if (key === this.current) return;
    const before = this.current;
    this.current = key;
    for (const other of kTabs) {
      this.tab(other).setAttribute("aria-selected", String(other === key));
      this.tab(other).tabIndex = other === key ? 0 : -1;
      this.panel(other).hidden = other !== key;
    }
    this.#chosen(key, before);
  }
}
