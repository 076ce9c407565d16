/**
 * Tells zod that code is never made from text here: it would try, and the content security policy would report it.
 * Must run before any schema is made, so `main.tsx` imports it early.
 */
import { config } from 'zod/v4/core';

config({ jitless: true });
