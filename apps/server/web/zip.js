// A ZIP archive without compression: photographs and sounds are compressed already.

const kTable = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; ++k) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});

function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = kTable[(crc ^ byte) & 0xff] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

// The fields of a header: [bytes, value] each, little-endian.
function header(fields) {
  const view = new DataView(new ArrayBuffer(fields.reduce((sum, [size]) => sum + size, 0)));
  let at = 0;
  for (const [size, value] of fields) {
    if (size === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += size;
  }
  return view.buffer;
}

const kUtf8 = 0x800, kDate = 0x21;  // names are UTF-8; 1980-01-01

// files: [{name, blob}], names with / for folders.
export async function zip(files) {
  const parts = [], entries = [];
  let offset = 0;
  for (const { name, blob } of files) {
    const data = new Uint8Array(await blob.arrayBuffer()), text = new TextEncoder().encode(name);
    const common = [[2, 20], [2, kUtf8], [2, 0], [2, 0], [2, kDate], [4, crc32(data)], [4, data.length], [4, data.length], [2, text.length], [2, 0]];
    parts.push(header([[4, 0x04034b50], ...common]), text, data);
    entries.push(header([[4, 0x02014b50], [2, 20], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]]), text);
    offset += 30 + text.length + data.length;
  }
  const size = entries.reduce((sum, part) => sum + part.byteLength, 0);
  const end = header([[4, 0x06054b50], [2, 0], [2, 0], [2, files.length], [2, files.length], [4, size], [4, offset], [2, 0]]);
  return new Blob([...parts, ...entries, end], { type: "application/zip" });
}
