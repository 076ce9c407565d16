/** The summary of an item as it is shown everywhere: secrets masked, hidden characters visible. */
import type { InboxItem } from '@countersign/client-sdk';
import { degradeView } from '@countersign/protocol/blocks';
import { useMemo } from 'preact/hooks';
import type { Texts } from '../../blocks/block.types.js';
import { textsOf } from '../../blocks/texts.js';

export function useTexts({ entry, summary }: InboxItem): {
  texts: Texts;
  view: ReturnType<typeof degradeView>['view'];
} {
  return useMemo(() => {
    const { view } = degradeView(entry.blocks, { v: entry.v, summary });
    return { view, texts: textsOf(view, entry.arguments) };
  }, [entry, summary]);
}

export function useSummary(item: InboxItem): string {
  return useTexts(item).texts.line(item.summary);
}
