// Files of a drop, a file dialog or the clipboard. Files of a folder know their class: the name of the folder they are in.

const read_all = (reader) =>
  new Promise((resolve, reject) => {
    const entries = [];
    const more = () =>
      reader.readEntries((some) => {
        if (some.length === 0) return resolve(entries);
        entries.push(...some);
        more();
      }, reject);
    more();  // readEntries gives at most 100 at a time
  });

const file_of = (entry) => new Promise((resolve, reject) => entry.file(resolve, reject));

async function walk(entry, folders, found) {
  if (entry.name.startsWith(".")) return;
  if (entry.isFile) {
    found.push({ file: await file_of(entry), folders });
    return;
  }
  const entries = await read_all(entry.createReader());
  entries.sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
  for (const inside of entries) await walk(inside, [...folders, entry.name], found);
}

// With one subfolder per class the subfolders name the classes; a single folder names one.
function labeled(found) {
  return found.map(({ file, folders }) => ({ file, label: folders.length > 0 ? folders.at(-1).normalize("NFC") : null }));
}

export async function files_of_drop(transfer) {
  // Entries must be taken before the first await: the transfer is emptied afterwards.
  const entries = [...transfer.items].filter((i) => i.kind === "file").map((i) => i.webkitGetAsEntry?.()).filter(Boolean);
  if (entries.length === 0) return [...transfer.files].map((file) => ({ file, label: null }));
  const found = [];
  for (const entry of entries) await walk(entry, [], found);
  return labeled(found);
}

export function files_of_input(input) {
  return labeled([...input.files].map((file) => ({ file, folders: file.webkitRelativePath.split("/").slice(0, -1) }))
    .filter(({ file, folders }) => !file.name.startsWith(".") && !folders.some((folder) => folder.startsWith("."))));
}
