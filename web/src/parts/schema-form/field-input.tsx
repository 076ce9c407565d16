/** One field of a form, by its kind. */
import {
  collectJsonSecrets,
  escapeInvisible,
  escapeToLine,
  jsonText,
  maskIn,
} from '@countersign/protocol/blocks';
import type { RefObject } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { t } from '../../i18n/i18n.js';
import { type Field, valueOfText } from '../../state/schema-fields.js';
import type { Fault } from '../../state/validate-values.js';
import { IconButton } from '../button.js';

export interface Handle {
  /** @throws SyntaxError for JSON that is none. */
  read(): unknown;
  clear(): void;
}

export interface FieldInputProps {
  field: Field;
  fault: Fault | undefined;
  register(handle: Handle): void;
}

/** Any of the inputs: each kind uses what it has. */
type AnyInput = HTMLInputElement & HTMLSelectElement & HTMLTextAreaElement;

interface Shared {
  id: string;
  ref: RefObject<AnyInput | null>;
  'aria-invalid': 'true' | undefined;
  'aria-describedby': string;
  'aria-required': 'true' | undefined;
  'data-field': string;
}

export function FieldInput({ field, fault, register }: FieldInputProps) {
  const id = useId();
  const place = useRef<AnyInput>(null);
  useEffect(() => {
    register({ read: () => readField(field, place.current), clear: () => clearField(place.current) });
  }, [field]);
  const shared: Shared = {
    id,
    ref: place,
    'aria-invalid': fault === undefined ? undefined : 'true',
    'aria-describedby': `${id}-about`,
    'aria-required': field.required ? 'true' : undefined,
    'data-field': field.name,
  };
  return (
    <div class="field" data-kind={field.kind}>
      <label for={id}>
        {escapeToLine(field.label)}
        {!field.required && <span class="soft"> {t('form.optional')}</span>}
      </label>
      <Input field={field} shared={shared} />
      <p id={`${id}-about`} class="small soft">
        {fault !== undefined && <span class="fault">{t(`form.fault.${fault}`)} </span>}
        {field.description !== undefined && escapeInvisible(field.description)}
      </p>
    </div>
  );
}

function Input({ field, shared }: { field: Field; shared: Shared }) {
  switch (field.kind) {
    case 'boolean':
      return <input type="checkbox" class="check" defaultChecked={field.initial === true} {...shared} />;
    case 'choice':
      return <ChoiceInput field={field} shared={shared} />;
    case 'kept':
      return <KeptValue field={field} />;
    case 'lines':
    case 'json':
      if (field.secret) return <SecretInput field={field} shared={shared} />;
      return (
        <textarea
          class={field.kind === 'json' ? 'input input-json' : 'input'}
          spellcheck={false}
          defaultValue={textOf(field)}
          {...shared}
        />
      );
    case 'number':
    case 'text':
      if (field.secret) return <SecretInput field={field} shared={shared} />;
      return (
        <input
          class="input"
          type={field.inputType as 'text'}
          inputMode={field.kind === 'number' ? 'decimal' : undefined}
          autocomplete="off"
          defaultValue={textOf(field)}
          {...shared}
        />
      );
  }
}

function ChoiceInput({ field, shared }: { field: Field; shared: Shared }) {
  const chosen = field.choices.findIndex(({ value }) => jsonText(value) === jsonText(field.initial));
  return (
    <select class="input" defaultValue={String(chosen)} {...shared}>
      {(chosen === -1 || !field.required) && <option value="-1">{t('form.nothing')}</option>}
      {field.choices.map(({ label }, at) => (
        <option key={label} value={String(at)} selected={at === chosen}>
          {escapeToLine(label)}
        </option>
      ))}
    </select>
  );
}

/** Masked; shown only while the eye is pressed. */
function SecretInput({ field, shared }: { field: Field; shared: Shared }) {
  const [shown, setShown] = useState(false);
  return (
    <div
      class="input-secret"
      onPointerUp={() => setShown(false)}
      onPointerLeave={() => setShown(false)}
      onBlurCapture={() => setShown(false)}
    >
      <input
        class="input"
        type={(shown ? 'text' : 'password') as 'text'}
        autocomplete="off"
        defaultValue={textOf(field)}
        {...shared}
      />
      <span onPointerDown={() => setShown(true)}>
        <IconButton icon="eye" label={t('form.show')} pressed={shown} onClick={() => undefined} />
      </span>
    </div>
  );
}

/** Shown with its secrets masked; sent back as it came. */
function KeptValue({ field }: { field: Field }) {
  const masked = maskIn(
    jsonText(field.initial, true),
    field.secret ? [jsonText(field.initial, true)] : collectJsonSecrets(field.initial),
  );
  return (
    <>
      <pre class="kept">{escapeInvisible(masked)}</pre>
      <p class="small soft">{t('form.kept')}</p>
    </>
  );
}

function textOf({ kind, initial }: Field): string {
  if (initial === undefined) return '';
  return typeof initial === 'string' && kind !== 'json' ? initial : jsonText(initial, kind === 'json');
}

function readField(field: Field, input: AnyInput | null): unknown {
  if (field.kind === 'kept') return field.initial;
  if (input === null) return undefined;
  if (field.kind === 'boolean') return input.checked;
  if (field.kind === 'choice') return field.choices[Number(input.value)]?.value;
  return valueOfText(field, input.value);
}

function clearField(input: HTMLInputElement | null): void {
  if (input !== null) input.value = '';
}
