/**
 * A component that is fetched when it is first needed. Until then, and if it cannot be fetched, its stand-in shows the
 * same content: nothing a person decides on may wait for a file.
 */
import { signal } from '@preact/signals';
import type { FunctionComponent } from 'preact';
import { useEffect } from 'preact/hooks';

export function lazily<P extends object>(
  load: () => Promise<FunctionComponent<P>>,
  StandIn: FunctionComponent<P>,
): FunctionComponent<P> {
  const loaded = signal<{ Component: FunctionComponent<P> } | undefined>(undefined);
  let asked = false;
  const ask = () => {
    if (asked) return;
    asked = true;
    load().then(
      (Component) => {
        loaded.value = { Component };
      },
      () => {
        asked = false;
      },
    );
  };
  return function Lazily(props) {
    useEffect(ask, []);
    const Shown = loaded.value?.Component ?? StandIn;
    return <Shown {...props} />;
  };
}
