/** Which devices exist, for which app and environment. Must not know requests. */
import type { ApnsEnvironment } from './provider-token.js';
import { type ApnsRefusal, refuse } from './reasons.js';

interface Device {
  readonly environment: ApnsEnvironment;
  readonly topic: string;
  readonly unregisteredAt?: number;
}

/** Push types whose topic is the bundle id with a suffix. */
const SUFFIXES: Readonly<Record<string, string>> = {
  complication: '.complication',
  controls: '.push-type.controls',
  fileprovider: '.pushkit.fileprovider',
  liveactivity: '.push-type.liveactivity',
  location: '.location-query',
  pushtotalk: '.voip-ptt',
  voip: '.voip',
  widgets: '.push-type.widgets',
};

export class ApnsDevices {
  readonly topics: readonly string[];
  readonly #devices = new Map<string, Device>();

  constructor(topics: readonly string[]) {
    this.topics = topics;
  }

  register(token: string, environment: ApnsEnvironment, topic = this.topics[0] ?? ''): void {
    this.#devices.set(token.toLowerCase(), { environment, topic });
  }

  unregister(token: string, unregisteredAt: number): void {
    const device = this.#devices.get(token.toLowerCase());
    if (device !== undefined) this.#devices.set(token.toLowerCase(), { ...device, unregisteredAt });
  }

  checkTopic(topic: string | undefined, pushType = ''): ApnsRefusal | undefined {
    if (topic === undefined || topic === '') return refuse('MissingTopic', 'apns-topic is mandatory here');
    if (!/^[A-Za-z0-9.-]+$/.test(topic)) return refuse('BadTopic', 'not the shape of a bundle id');
    const suffix = Object.hasOwn(SUFFIXES, pushType) ? (SUFFIXES[pushType] ?? '') : '';
    const isAllowed = this.topics.some((each) => topic === each + suffix);
    return isAllowed ? undefined : refuse('TopicDisallowed', 'the key may not push to this topic');
  }

  /** A token of the other environment looks like one that never existed. */
  checkDevice(
    token: string | undefined,
    topic: string | undefined,
    environment: ApnsEnvironment,
  ): ApnsRefusal | undefined {
    const device = token === undefined ? undefined : this.#devices.get(token);
    if (device === undefined) return refuse('BadDeviceToken', 'no such device');
    if (device.environment !== environment) {
      return refuse('BadDeviceToken', `a token of ${device.environment}`);
    }
    if (topic !== device.topic && !topic?.startsWith(`${device.topic}.`)) {
      return refuse('DeviceTokenNotForTopic', `a token of the app ${device.topic}`);
    }
    if (device.unregisteredAt === undefined) return undefined;
    return { ...refuse('Unregistered', 'the app was removed'), timestamp: device.unregisteredAt };
  }
}
