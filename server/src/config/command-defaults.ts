/** What the command does unless told otherwise; an embedded relay keeps nothing on disk by itself. */
import type { RelayConfigInput } from './settings.js';

export const COMMAND_DEFAULTS: RelayConfigInput = { store: 'countersign-relay.sqlite', opsPort: 8788 };
