/** A text as QR code for a terminal, a page or a file. Must not know what the text is. */
import { toBuffer, toString as toText } from 'qrcode';

export type QrFormat = 'terminal' | 'svg' | 'png';

/** Error correction level L: the smallest code, so that it fits a terminal. */
const OPTIONS = { errorCorrectionLevel: 'L', margin: 2 } as const;

export async function qrCode(text: string, format: QrFormat): Promise<string | Uint8Array> {
  if (format === 'png') return new Uint8Array(await toBuffer(text, { ...OPTIONS, type: 'png', scale: 8 }));
  if (format === 'svg') return toText(text, { ...OPTIONS, type: 'svg' });
  return toText(text, { ...OPTIONS, type: 'utf8' });
}
