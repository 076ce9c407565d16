/** A secret. */
import type { BlockProps } from '../block.types.js';
import { HeldSecret } from './held-secret.js';

export function SecretValue({ block }: BlockProps) {
  return <HeldSecret value={block.value} />;
}
