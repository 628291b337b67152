// Photographs are made smaller before they are sent: the embedding models look at about 300 pixels.

const kLargest = 1024;         // longest side, in pixels
const kSmallFile = 300_000;    // bytes; smaller files are sent as they are
const kSentAsIs = ["image/jpeg", "image/png", "image/webp"];  // what the server reads
const kThumbnail = 224;        // shorter side
const kFrame = 360;            // shorter side of a frame of the camera

const as_jpeg = (canvas, quality) => canvas.convertToBlob({ type: "image/jpeg", quality });

// Not a canvas of the document: its toBlob waits until the page is idle.
function drawn(source, width, height, scale) {
  const canvas = new OffscreenCanvas(Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale)));
  const context = canvas.getContext("2d");
  context.imageSmoothingQuality = "high";
  context.fillStyle = "#fff";  // what a transparent picture stands on
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(source, 0, 0, canvas.width, canvas.height);
  return canvas;
}

// {blob, thumbnail}: what is sent, and a small picture for the page. A file that the browser cannot read is sent as it is.
export async function prepared(file) {
  let bitmap;
  try {
    bitmap = await createImageBitmap(file);
  } catch {
    return { blob: file, thumbnail: null };
  }
  const { width, height } = bitmap;
  try {
    let blob = file;
    const scale = Math.min(1, kLargest / Math.max(width, height));
    if (file.size > kSmallFile || !kSentAsIs.includes(file.type)) blob = await as_jpeg(drawn(bitmap, width, height, scale), 0.9);
    if (blob.size > file.size && kSentAsIs.includes(file.type)) blob = file;
    const small = Math.min(1, kThumbnail / Math.min(width, height));
    const thumbnail = small === 1 && file.size < 100_000 ? file : await as_jpeg(drawn(bitmap, width, height, small), 0.8);
    return { blob, thumbnail };
  } finally {
    bitmap.close();
  }
}

// The present frame of a video as a JPEG file.
export function frame_of(video) {
  const { videoWidth: width, videoHeight: height } = video;
  return as_jpeg(drawn(video, width, height, Math.min(1, kFrame / Math.min(width, height))), 0.88);
}
