/** Where a link comes from: the camera, or pasted text. */
import { useState } from 'preact/hooks';
import { t } from '../../i18n/i18n.js';
import { Button } from '../../parts/button.js';
import { ScanCode } from './scan-code.js';

export function EnterLink({ onLink }: { onLink(link: string): void }) {
  const [text, setText] = useState('');
  const [isScanning, setScanning] = useState(false);
  return (
    <>
      <p class="soft">{t('pair.how')}</p>
      {isScanning ? (
        <ScanCode
          onFound={(link) => {
            setScanning(false);
            onLink(link);
          }}
          onCancel={() => setScanning(false)}
        />
      ) : (
        <Button kind="main" icon="camera" wide onClick={() => setScanning(true)}>
          {t('pair.scan')}
        </Button>
      )}
      <form
        class="panel pair-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== '') onLink(text);
        }}
      >
        <div class="field">
          <label for="pair-link">{t('pair.paste')}</label>
          <textarea
            id="pair-link"
            class="input"
            rows={3}
            autocomplete="off"
            spellcheck={false}
            placeholder="https://…/app/#p=…"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </div>
        <Button type="submit" off={text.trim() === ''} wide>
          {t('pair.look')}
        </Button>
      </form>
    </>
  );
}
