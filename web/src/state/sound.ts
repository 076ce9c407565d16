/** A short tone when something new waits, if the person wants one and it is not their quiet time. */
import { effect } from '@preact/signals';
import type { Device } from './device.js';
import { isQuiet, type Settings } from './settings.js';

export interface Chime {
  play(): void;
  /** Local time, `HH:MM`. */
  time(): string;
}

export function soundOnNew(
  device: Pick<Device, 'inbox'>,
  settings: Pick<Settings, 'values'>,
  chime: Chime,
): void {
  let known: ReadonlySet<string> | undefined;
  effect(() => {
    const keys = device.inbox.value.items
      .filter(({ state }) => state === 'open' || state === 'waiting')
      .map(({ pairingId, requestId }) => `${pairingId}/${requestId}`);
    const isNew = known !== undefined && keys.some((key) => known?.has(key) === false);
    known = new Set([...(known ?? []), ...keys]);
    const { sounds, quietHours } = settings.values.peek();
    if (isNew && sounds && !isQuiet(quietHours, chime.time())) chime.play();
  });
}

const NOTES_HZ = [660, 880] as const;
const NOTE_SECONDS = 0.12;

/** Two soft notes, made here so that no file is fetched. */
export const toneChime: Chime = {
  play() {
    const audio = new AudioContext();
    const gain = audio.createGain();
    gain.gain.value = 0.08;
    gain.connect(audio.destination);
    NOTES_HZ.forEach((frequency, at) => {
      const note = new OscillatorNode(audio, { type: 'sine', frequency });
      note.connect(gain);
      note.start(audio.currentTime + at * NOTE_SECONDS);
      note.stop(audio.currentTime + (at + 1) * NOTE_SECONDS);
      if (at === NOTES_HZ.length - 1) note.addEventListener('ended', () => void audio.close());
    });
  },
  time: () => new Date().toTimeString().slice(0, 5),
};
