/** The camera until a pairing link is in sight. The reader is loaded only now; the picture never leaves the page. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../../i18n/i18n.js';
import { Button } from '../../parts/button.js';
import { Notice } from '../../parts/notice.js';

export function ScanCode({ onFound, onCancel }: { onFound(link: string): void; onCancel(): void }) {
  const video = useRef<HTMLVideoElement>(null);
  const [problem, setProblem] = useState(false);
  useEffect(() => {
    const ended = new AbortController();
    void watch(video.current, ended.signal).then(
      (link) => link !== undefined && onFound(link),
      () => !ended.signal.aborted && setProblem(true),
    );
    return () => ended.abort();
  }, []);
  return (
    <div class="scan">
      {problem ? (
        <Notice tone="warn" live>
          {t('pair.noCamera')}
        </Notice>
      ) : (
        <video ref={video} class="scan-picture" muted playsInline aria-label={t('pair.picture')} />
      )}
      <Button onClick={onCancel} wide>
        {t('cancel')}
      </Button>
    </div>
  );
}

async function watch(video: HTMLVideoElement | null, signal: AbortSignal): Promise<string | undefined> {
  if (video === null) return undefined;
  const { readCodes } = await import('./read-codes.js');
  return readCodes(video, signal);
}
