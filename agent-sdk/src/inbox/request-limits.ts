/** Limits of what a host may ask. Must not know how anything is asked. */

/** UTF-8 bytes of an item as JSON; more could not be reviewed anywhere. */
export const MAX_ITEM_BYTES = 1024 * 1024;
/** Items that may wait at once. */
export const MAX_PENDING_ITEMS = 256;
/** UTF-8 bytes of names a host gives: tools, sessions, calls, servers, fields, rules. */
export const MAX_NAME_BYTES = 256;
/** UTF-8 bytes of a clarification's question and an elicitation's message, which are never cut. */
export const MAX_QUESTION_BYTES = 4096;
export const MAX_SUGGESTIONS = 16;
export const MAX_RULES = 32;
/** Rules and schema of an item, as JSON in UTF-8. */
export const MAX_SCHEMA_BYTES = 64 * 1024;
