/**
 * The device's own lock (fingerprint, face, PIN) by WebAuthn: asked when the app opens and for high risk. It is a door
 * of this app, not a key: nothing is encrypted with it, and whoever has the unlocked browser profile can walk around
 * it. Must not know screens.
 */
import { type ReadonlySignal, signal } from '@preact/signals';
import { type AppDatabase, LOCK_RECORD } from './database.js';

const TIMEOUT_MS = 60_000;
/** Hidden longer than this, the app asks again. */
export const RELOCK_AFTER_MS = 60_000;

export class Lock {
  /** Set up on this device. */
  readonly isSetUp: ReadonlySignal<boolean>;
  /** Nothing is shown until {@link unlock}. */
  readonly isLocked: ReadonlySignal<boolean>;
  readonly #credential = signal<Uint8Array<ArrayBuffer> | undefined>(undefined);
  readonly #isSetUp = signal(false);
  readonly #isLocked = signal(false);
  readonly #database: AppDatabase;

  private constructor(database: AppDatabase, credential: Uint8Array<ArrayBuffer> | undefined) {
    this.#database = database;
    this.#credential.value = credential;
    this.#isSetUp.value = credential !== undefined;
    this.#isLocked.value = credential !== undefined;
    this.isSetUp = this.#isSetUp;
    this.isLocked = this.#isLocked;
  }

  static async open(database: AppDatabase): Promise<Lock> {
    const stored: unknown = await database.get('settings', LOCK_RECORD);
    return new Lock(database, stored instanceof Uint8Array ? new Uint8Array(stored) : undefined);
  }

  /** False where the device has none, or the person said no. */
  async setUp(): Promise<boolean> {
    const created = await navigator.credentials.create({ publicKey: creation() }).catch(() => null);
    if (!(created instanceof PublicKeyCredential)) return false;
    const credential = new Uint8Array(created.rawId);
    await this.#database.put('settings', credential, LOCK_RECORD);
    this.#credential.value = credential;
    this.#isSetUp.value = true;
    return true;
  }

  /** Asks the person to be there; true when the device says so. */
  async verify(): Promise<boolean> {
    const id = this.#credential.value;
    if (id === undefined) return true;
    const publicKey: PublicKeyCredentialRequestOptions = {
      challenge: crypto.getRandomValues(new Uint8Array(32)),
      allowCredentials: [{ type: 'public-key', id }],
      userVerification: 'required',
      timeout: TIMEOUT_MS,
    };
    const answer = await navigator.credentials.get({ publicKey }).catch(() => null);
    return answer instanceof PublicKeyCredential && isVerified(answer);
  }

  async unlock(): Promise<boolean> {
    const open = await this.verify();
    if (open) this.#isLocked.value = false;
    return open;
  }

  relock(): void {
    this.#isLocked.value = this.#isSetUp.value;
  }

  async remove(): Promise<boolean> {
    if (!(await this.verify())) return false;
    await this.#database.delete('settings', LOCK_RECORD);
    this.#credential.value = undefined;
    this.#isSetUp.value = false;
    this.#isLocked.value = false;
    return true;
  }
}

/** Locks again after the page was out of sight for a while. */
export function relockWhenHidden(lock: Lock, page: Document = document): void {
  let hiddenAt: number | undefined;
  page.addEventListener('visibilitychange', () => {
    if (page.visibilityState === 'hidden') hiddenAt = Date.now();
    else if (hiddenAt !== undefined && Date.now() - hiddenAt > RELOCK_AFTER_MS) lock.relock();
  });
}

function creation(): PublicKeyCredentialCreationOptions {
  return {
    challenge: crypto.getRandomValues(new Uint8Array(32)),
    rp: { name: 'Countersign' },
    user: {
      id: crypto.getRandomValues(new Uint8Array(16)),
      name: 'countersign',
      displayName: 'Countersign',
    },
    pubKeyCredParams: [
      { type: 'public-key', alg: -7 },
      { type: 'public-key', alg: -257 },
    ],
    authenticatorSelection: { authenticatorAttachment: 'platform', userVerification: 'required' },
    timeout: TIMEOUT_MS,
  };
}

/** Bit 2 of the flags says that the user was verified (Web Authentication Level 3 §6.1). */
function isVerified({ response }: PublicKeyCredential): boolean {
  if (!(response instanceof AuthenticatorAssertionResponse)) return false;
  const flags = new Uint8Array(response.authenticatorData)[32] ?? 0;
  return (flags & 0x04) !== 0;
}
