// Numbers and lists as words.

export const counted = (n, one, many = `${one}s`) => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;

export function percent(share) {
  const p = 100 * share;
  if (p > 0 && p < 0.1) return "less than 0.1 %";
  return `${p < 1 && p > 0 ? p.toFixed(1) : Math.round(p)} %`;
}

export const short_percent = (share) => percent(share).replace("less than ", "< ");

export function bytes(n) {
  if (n < 1000) return `${n} B`;
  const [unit, scale] = n < 999500 ? ["kB", 1e3] : n < 999.5e6 ? ["MB", 1e6] : ["GB", 1e9];
  return `${(n / scale).toFixed(n / scale >= 99.95 ? 0 : 1)} ${unit}`;
}

export function duration(seconds) {
  if (seconds < 0.995) return `${seconds.toFixed(2)} s`;
  if (seconds < 90) return `${seconds < 9.95 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

// "left" is an estimate: no tenths.
export const time_left = (seconds) =>
  seconds === null || seconds === undefined ? "" : seconds < 1 ? ", almost done" : `, ${duration(Math.ceil(seconds))} left`;

const kLongest = 60;  // characters of a name in a sentence
export const cut = (text, most = kLongest) => (text.length > most ? `${text.slice(0, most - 1)}\u2026` : text);
export const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);
export const quoted = (name) => `\u2018${cut(name)}\u2019`;

export function listed(names, most = 6) {
  const shown = names.slice(0, most).map(quoted);
  if (names.length > most) return `${shown.join(", ")} and ${names.length - most} more`;
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}

export function when(time) {
  const date = new Date(time);
  return Number.isNaN(date.getTime())
    ? String(time)
    : date.toLocaleString("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
}

// The words of the server's progress reports.
const kPhases = { embed: "computing features", read: "reading", learn: "learning", sleep: "consolidating", write: "writing" };
export const phase_words = (phase) => kPhases[phase] || phase;

const kKinds = { image: "photograph", sound: "sound", text: "text", rows: "row" };
export const kind_word = (kind, n) => counted(n, kKinds[kind]);

// key -> the elements with this key, in their order.
export function grouped(list, key_of) {
  const groups = new Map();
  for (const element of list) {
    const key = key_of(element);
    if (groups.has(key)) groups.get(key).push(element);
    else groups.set(key, [element]);
  }
  return groups;
}
