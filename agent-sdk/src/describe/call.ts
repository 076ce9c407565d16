/** What is described: a tool's name and its arguments, frozen. Must not know items or devices. */

/** As `freezeArguments` gives them: a JSON object, or the text that could not be frozen as one. */
export interface CallArguments {
  arguments?: unknown;
  argumentsText?: string | undefined;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** The named arguments of a call, or undefined when it has none by name. */
export function namedArguments(call: CallArguments): JsonObject | undefined {
  const args = call.arguments;
  return typeof args === 'object' && args !== null && !Array.isArray(args) ? (args as JsonObject) : undefined;
}
