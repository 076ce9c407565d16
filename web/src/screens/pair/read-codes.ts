/** Looks for a QR code in a camera's picture with ZXing, whose WebAssembly is one of our own files. */
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';
import wasmUrl from 'zxing-wasm/reader/zxing_reader.wasm?url';

/** Between two looks: often enough for a hand, seldom enough for a battery. */
const EVERY_MS = 150;
/** A longer side is scaled down: a code of a screen is still sharp. */
const MAX_SIDE = 960;

/** The text of the first QR code; undefined when `signal` ended it. @throws DOMException without a camera. */
export async function readCodes(video: HTMLVideoElement, signal: AbortSignal): Promise<string | undefined> {
  prepareZXingModule({ overrides: { locateFile: () => wasmUrl } });
  const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } });
  try {
    video.srcObject = stream;
    await video.play();
    while (!signal.aborted) {
      const text = await codeIn(video);
      if (text !== undefined) return text;
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
    return undefined;
  } finally {
    for (const track of stream.getTracks()) track.stop();
  }
}

async function codeIn(video: HTMLVideoElement): Promise<string | undefined> {
  const picture = pictureOf(video);
  if (picture === undefined) return undefined;
  const found = await readBarcodes(picture, { formats: ['QRCode'], maxNumberOfSymbols: 1 });
  return found.find(({ isValid, text }) => isValid && text !== '')?.text;
}

function pictureOf(video: HTMLVideoElement): ImageData | undefined {
  const { videoWidth, videoHeight } = video;
  if (videoWidth === 0) return undefined;
  const scale = Math.min(1, MAX_SIDE / Math.max(videoWidth, videoHeight));
  const canvas = new OffscreenCanvas(Math.round(videoWidth * scale), Math.round(videoHeight * scale));
  const context = canvas.getContext('2d', { willReadFrequently: true });
  context?.drawImage(video, 0, 0, canvas.width, canvas.height);
  return context?.getImageData(0, 0, canvas.width, canvas.height);
}
