/** Changed arguments: a form from the item's JSON Schema. What runs is exactly what is sent back (03 §5). */
import type { InboxItem } from '@countersign/client-sdk';
import { isJsonObject } from '@countersign/protocol/payloads';
import { t } from '../../i18n/i18n.js';
import { SchemaForm } from '../../parts/schema-form/schema-form.js';
import { Sheet } from '../../parts/sheet.js';
import type { Hindrance } from '../../state/decide.js';
import type { Giving } from './use-giving.js';

export interface EditSheetProps {
  item: InboxItem;
  giving: Giving;
  hindrance: Hindrance | undefined;
  onClose(): void;
}

export function EditSheet({ item, giving, hindrance, onClose }: EditSheetProps) {
  const { input_schema: schema, arguments: args } = item.entry;
  const approve = async (modifiedArguments: Record<string, unknown>) => {
    if (await giving.give({ kind: 'approve', options: { modifiedArguments } })) onClose();
  };
  return (
    <Sheet title={t('edit.title')} onClose={onClose}>
      <p class="small soft">{t('edit.text')}</p>
      {giving.problem !== undefined && <p class="fault">{giving.problem}</p>}
      <SchemaForm
        schema={isJsonObject(schema) ? schema : {}}
        initial={isJsonObject(args) ? args : {}}
        submit={item.risk === 'high' ? t('edit.holdApprove') : t('edit.approve')}
        deliberate={item.risk === 'high'}
        off={giving.busy || hindrance !== undefined}
        onSubmit={(values) => void approve(values)}
      />
    </Sheet>
  );
}
