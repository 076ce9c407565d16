/** The blocks of an item, in order: rows for one-liners, a frame of its own for what has several lines. */
import './blocks.css';
import { type Block, isSecretBlock, rowName, type View } from '@countersign/protocol/blocks';
import { t } from '../i18n/i18n.js';
import { Chip } from '../parts/chip.js';
import type { Texts, Viewer } from './block.types.js';
import { VIEWERS } from './registry.js';

/** Shown across the whole width, whatever its block type says: a row would be a wall of text. */
const ALWAYS_WIDE = new Set(['diff', 'code', 'command', 'markdown']);
/** A longer value gets the whole width too: nothing of it is cut. */
const ROW_MAX_UNITS = 160;

export function ViewBlocks({ view, texts }: { view: View; texts: Texts }) {
  return (
    <dl class="blocks">
      {view.blocks.map((block, at) => (
        // A view never changes: its places are its names.
        <BlockRow key={at} block={block} texts={texts} />
      ))}
    </dl>
  );
}

function BlockRow({ block, texts }: { block: Block; texts: Texts }) {
  const Value = viewerOf(block);
  return (
    <div class="block" data-wide={isWide(block)} data-value-type={block.value_type ?? 'string'}>
      <dt>
        {texts.line(rowName(block))}
        {block.truncated === true && <Chip tone="warn">{t('block.cut')}</Chip>}
      </dt>
      <dd>
        <Value block={block} texts={texts} />
      </dd>
    </div>
  );
}

function viewerOf(block: Block): Viewer {
  return VIEWERS[isSecretBlock(block) ? 'secret' : (block.value_type ?? 'string')];
}

export function isWide(block: Block): boolean {
  if (isSecretBlock(block)) return false;
  if (block.type === 'block' || ALWAYS_WIDE.has(block.value_type ?? '')) return true;
  return block.value.includes('\n') || block.value.length > ROW_MAX_UNITS;
}
