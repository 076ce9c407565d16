/** A picture as the film that Chromium's pretended camera plays: one frame of YUV4MPEG2, which it repeats. */
import { writeFileSync } from 'node:fs';
import { PNG } from 'pngjs';

const WIDTH = 640;
const HEIGHT = 480;

/** Writes the film to `file`, the picture in its middle on white. */
export function writeQrVideo(file: string, png: Buffer): void {
  const picture = PNG.sync.read(png);
  const scale = Math.max(1, Math.floor((HEIGHT * 0.9) / picture.height));
  const [left, top] = [(WIDTH - picture.width * scale) >> 1, (HEIGHT - picture.height * scale) >> 1];
  const light = Buffer.alloc(WIDTH * HEIGHT, 235);
  for (let y = 0; y < picture.height * scale; y++) {
    for (let x = 0; x < picture.width * scale; x++) {
      const at = 4 * (Math.floor(y / scale) * picture.width + Math.floor(x / scale));
      const [row, column] = [top + y, left + x];
      if (row < 0 || row >= HEIGHT || column < 0 || column >= WIDTH) continue;
      light[row * WIDTH + column] = (picture.data[at] ?? 255) < 128 ? 16 : 235;
    }
  }
  const colour = Buffer.alloc((WIDTH * HEIGHT) / 2, 128);
  const head = Buffer.from(`YUV4MPEG2 W${WIDTH} H${HEIGHT} F10:1 Ip A1:1 C420\n`);
  const frame = Buffer.concat([Buffer.from('FRAME\n'), light, colour]);
  writeFileSync(file, Buffer.concat([head, frame, frame, frame]));
}
