/** The form of an elicitation as one JSON Schema, whichever way it was asked for (03 §5). Pure. */
import { isJsonObject, type JsonObject } from '@countersign/protocol/payloads';

export function elicitationSchema(entry: Readonly<Record<string, unknown>>): JsonObject {
  const { requested_schema: schema, field_name: name } = entry;
  if (isJsonObject(schema) && isJsonObject(schema.properties)) return schema;
  const field = typeof name === 'string' ? name : 'value';
  return { type: 'object', properties: { [field]: { type: 'string', minLength: 1 } }, required: [field] };
}
