// Photographs for the tests of the page, drawn by the browser itself: objects of four kinds on tables of changing colors.

// Runs in a page. Returns JPEG files in base64; the same kind and number give the same picture.
function draw(kind, first, count, width, height) {
  const pictures = [];
  for (let n = first; n < first + count; ++n) {
    let state = 7919 * n + 31 * kind.length + kind.charCodeAt(0);
    const random = () => {  // mulberry32
      state = (state + 0x6d2b79f5) | 0;
      let t = Math.imul(state ^ (state >>> 15), 1 | state);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
    const between = (low, high) => low + (high - low) * random();
    const canvas = document.createElement("canvas");
    canvas.width = width;
    canvas.height = height;
    const c = canvas.getContext("2d");
    const tone = between(20, 50);
    c.fillStyle = `hsl(${tone} 25% ${between(70, 85)}%)`;
    c.fillRect(0, 0, width, height);
    c.fillStyle = `hsl(${tone} 40% ${between(35, 50)}%)`;
    c.fillRect(0, 0.7 * height, width, 0.3 * height);
    c.translate(width * between(0.42, 0.58), height * between(0.5, 0.6));
    c.rotate(between(-0.1, 0.1));
    const size = 0.34 * Math.min(width, height) * between(0.85, 1.15);
    c.scale(size, size);
    const shape = (fill, path) => {
      c.fillStyle = fill;
      c.beginPath();
      path();
      c.fill();
    };
    if (kind === "mug") {
      const color = `hsl(215 60% ${between(40, 55)}%)`;
      c.strokeStyle = color;
      c.lineWidth = 0.16;
      c.beginPath();
      c.arc(0.68, 0.05, 0.33, -1.7, 1.7);
      c.stroke();
      shape(color, () => c.roundRect(-0.65, -0.7, 1.3, 1.5, 0.12));
      shape(`hsl(215 50% 25%)`, () => c.ellipse(0, -0.68, 0.62, 0.16, 0, 0, 7));
    } else if (kind === "plant") {
      for (let i = 0; i < 9; ++i) {
        c.save();
        c.rotate(-1.2 + 0.3 * i + between(-0.1, 0.1));
        shape(`hsl(${between(95, 135)} 55% ${between(25, 42)}%)`, () => c.ellipse(0, -0.75, 0.14, 0.55, 0, 0, 7));
        c.restore();
      }
      shape(`hsl(18 55% ${between(40, 52)}%)`, () => {
        c.moveTo(-0.5, 0);
        c.lineTo(0.5, 0);
        c.lineTo(0.36, 0.85);
        c.lineTo(-0.36, 0.85);
      });
    } else if (kind === "ball") {
      const glow = c.createRadialGradient(-0.3, -0.3, 0.05, 0, 0, 0.9);
      glow.addColorStop(0, "#ffd0a0");
      glow.addColorStop(1, `hsl(${between(5, 25)} 85% 42%)`);
      shape(glow, () => c.arc(0, 0, 0.85, 0, 7));
      c.strokeStyle = "#301408";
      c.lineWidth = 0.05;
      for (const x of [-0.9, 0, 0.9]) {
        c.beginPath();
        c.ellipse(x, 0, 0.5, 0.85, 0, 0, 7);
        c.save();
        c.clip();
        c.restore();
      }
      c.beginPath();
      c.moveTo(-0.85, 0);
      c.lineTo(0.85, 0);
      c.moveTo(0, -0.85);
      c.lineTo(0, 0.85);
      c.stroke();
    } else {  // static: a screen without a picture
      c.resetTransform();
      for (let y = 0; y < height; y += 6)
        for (let x = 0; x < width; x += 6) {
          c.fillStyle = `hsl(${360 * random()} 90% ${100 * random()}%)`;
          c.fillRect(x, y, 6, 6);
        }
    }
    pictures.push(canvas.toDataURL("image/jpeg", 0.9).split(",")[1]);
  }
  return pictures;
}

// Pictures of a kind as Buffers, drawn in a page of the browser.
export async function drawn(page, kind, first, count, width = 400, height = 400) {
  const source = `(${draw.toString()})(${[kind, first, count, width, height].map((v) => JSON.stringify(v)).join(",")})`;
  return (await page.evaluate(source)).map((text) => Buffer.from(text, "base64"));
}
