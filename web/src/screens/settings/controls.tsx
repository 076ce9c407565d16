/** The two kinds of settings: on or off, and one of several. */
import { useId } from 'preact/hooks';

export interface SwitchProps {
  label: string;
  text?: string | undefined;
  on: boolean;
  onChange(on: boolean): void;
}

export function Switch({ label, text, on, onChange }: SwitchProps) {
  const id = useId();
  return (
    <div class="setting">
      <div>
        <label for={id}>{label}</label>
        {text !== undefined && (
          <p class="small soft" id={`${id}-text`}>
            {text}
          </p>
        )}
      </div>
      <input
        id={id}
        type="checkbox"
        role="switch"
        class="switch"
        checked={on}
        aria-checked={on}
        aria-describedby={text === undefined ? undefined : `${id}-text`}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    </div>
  );
}

export interface ChoiceProps<T extends string> {
  label: string;
  value: T;
  options: readonly { value: T; label: string }[];
  onChange(value: T): void;
}

export function Choice<T extends string>({ label, value, options, onChange }: ChoiceProps<T>) {
  const id = useId();
  return (
    <div class="setting">
      <label for={id}>{label}</label>
      <select
        id={id}
        class="input select"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value as T)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value} selected={option.value === value}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  );
}
