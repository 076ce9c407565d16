/** Divides room among pieces. Must not know what they are. */

/** How much each piece gets: short ones what they need, long ones equal shares of what is left. */
export function shareOut(room: number, wanted: readonly number[]): number[] {
  const given = wanted.map(() => 0);
  let left = Math.max(0, room);
  const bySize = wanted.map((need, at) => ({ need, at })).sort((a, b) => a.need - b.need);
  bySize.forEach(({ need, at }, position) => {
    const share = Math.min(need, Math.floor(left / (bySize.length - position)));
    given[at] = share;
    left -= share;
  });
  return given;
}
