/** Decisions given on this device, with what became of them; handed out as JSON. */
import './history.css';
import { escapeToLine, jsonText } from '@countersign/protocol/blocks';
import { useApp } from '../../app/use-app.js';
import { Monospace } from '../../blocks/monospace.js';
import { dateAndTime } from '../../i18n/format.js';
import { t } from '../../i18n/i18n.js';
import { AgentBadge } from '../../parts/agent-badge.js';
import { answerLine } from '../../parts/answer-line.js';
import { Button } from '../../parts/button.js';
import { Chip, type Tone } from '../../parts/chip.js';
import { Emblem } from '../../parts/emblem.js';
import { Fold } from '../../parts/fold.js';
import { saveFile } from '../../parts/save-file.js';
import { exportText, type HistoryEntry } from '../../state/history.js';

export function HistoryScreen() {
  const entries = useApp().history.entries.value;
  const save = () => saveFile('countersign-history.json', exportText(entries));
  return (
    <div class="screen">
      <header class="screen-head">
        <h1>{t('nav.history')}</h1>
        {entries.length > 0 && (
          <Button icon="download" testId="export" onClick={save}>
            {t('history.export')}
          </Button>
        )}
      </header>
      {entries.length === 0 ? (
        <div class="empty">
          <Emblem />
          <h2>{t('history.empty')}</h2>
          <p>{t('history.emptyText')}</p>
        </div>
      ) : (
        <ul class="panel history">
          {entries.map((entry) => (
            <Entry key={entry.id} entry={entry} />
          ))}
        </ul>
      )}
    </div>
  );
}

const AGREED = new Set(['approved', 'approved_for', 'approved_session', 'approved_rule', 'approved_edited']);

function toneOf({ decision, state }: HistoryEntry): Tone {
  if (state.phase === 'refused') return 'warn';
  if (AGREED.has(decision)) return 'yes';
  return decision === 'rejected' || decision === 'stopped' ? 'no' : undefined;
}

function Entry({ entry }: { entry: HistoryEntry }) {
  return (
    <li class="history-entry" data-testid="history-entry">
      <span class="card-top">
        <AgentBadge pairingId={entry.pairingId} name={entry.agentName} />
        <time class="soft small">{dateAndTime(entry.decidedAt)}</time>
      </span>
      <strong>{escapeToLine(entry.summary)}</strong>
      <span class="history-state">
        <Chip tone={toneOf(entry)}>{t(`decision.${entry.decision}`)}</Chip>
        <span class="soft small">{answerLine(entry.state)}</span>
      </span>
      {entry.receipt !== undefined && (
        <Fold label={t('history.receipt')}>
          <Monospace text={jsonText(entry.receipt, true)} copy={jsonText(entry.receipt)} wraps />
        </Fold>
      )}
    </li>
  );
}
