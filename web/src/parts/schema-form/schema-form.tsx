/**
 * A form from a JSON Schema. Inputs keep their own values and are read when it is sent, so that a secret is held by
 * nothing but its field, which is emptied then.
 */
import './schema-form.css';
import { utf8 } from '@countersign/protocol';
import type { JsonObject } from '@countersign/protocol/payloads';
import { useMemo, useRef, useState } from 'preact/hooks';
import { t } from '../../i18n/i18n.js';
import { fieldsOf } from '../../state/schema-fields.js';
import type { Fault } from '../../state/validate-values.js';
import { Button } from '../button.js';
import { DeliberateButton } from '../deliberate-button.js';
import { FieldInput, type Handle } from './field-input.js';

export interface SchemaFormProps {
  schema: JsonObject;
  initial?: JsonObject | undefined;
  /** Every field is masked, and its value given out as bytes. */
  secret?: boolean | undefined;
  submit: string;
  /** Sending takes one more deliberate act. */
  deliberate?: boolean | undefined;
  off: boolean;
  onSubmit(values: Record<string, unknown>): void;
}

type Faults = ReadonlyMap<string, Fault>;
const NONE: Faults = new Map();

export function SchemaForm({ schema, initial, secret, submit, deliberate, off, onSubmit }: SchemaFormProps) {
  const fields = useMemo(() => fieldsOf(schema, { initial, secret }), [schema, initial, secret]);
  const handles = useRef(new Map<string, Handle>());
  const [faults, setFaults] = useState(NONE);
  const send = async () => {
    if (off) return;
    const { values, broken } = readAll(fields, handles.current, initial);
    const { validateValues } = await import('../../state/validate-values.js');
    const found = broken.size > 0 ? broken : validateValues(schema, values);
    setFaults(found);
    if (found.size > 0) return;
    onSubmit(secret ? asBytes(values) : values);
    if (secret) for (const handle of handles.current.values()) handle.clear();
  };
  return (
    <form
      class="schema-form"
      autocomplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        if (!deliberate) void send();
      }}
    >
      {fields.map((field) => (
        <FieldInput
          key={field.name}
          field={field}
          fault={faults.get(field.name)}
          register={(handle) => handles.current.set(field.name, handle)}
        />
      ))}
      {faults.has('') && <p class="fault">{t('form.fault.invalid')}</p>}
      {deliberate ? (
        <DeliberateButton label={submit} off={off} wide onDone={() => void send()} />
      ) : (
        <Button kind="main" type="submit" wide off={off} testId="send-form">
          {submit}
        </Button>
      )}
    </form>
  );
}

function readAll(
  fields: ReturnType<typeof fieldsOf>,
  handles: ReadonlyMap<string, Handle>,
  initial: JsonObject = {},
) {
  const values: Record<string, unknown> = { ...initial };
  const broken = new Map<string, Fault>();
  for (const { name } of fields) {
    try {
      const value = handles.get(name)?.read();
      if (value === undefined) delete values[name];
      else values[name] = value;
    } catch {
      broken.set(name, 'invalid');
    }
  }
  return { values, broken };
}

/** The SDK overwrites bytes once they are sealed; a text would stay in memory. */
function asBytes(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? utf8(value) : value]),
  );
}
