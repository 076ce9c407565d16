/** Which agent something is from: its colour and the label the person gave it. */
import { escapeToLine } from '@countersign/protocol/blocks';
import { useApp } from '../app/use-app.js';

export function AgentBadge({ pairingId, name }: { pairingId: string; name: string }) {
  const { label, color } = useApp().agents.lookOf(pairingId);
  return (
    <span class="agent" data-agent={color}>
      <span class="agent-dot" aria-hidden="true" />
      <span>{escapeToLine(label ?? name)}</span>
    </span>
  );
}
