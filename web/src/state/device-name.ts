/** What this device may be called, from what its browser says of itself. Pure. */
const KINDS: readonly [RegExp, string][] = [
  [/iPhone/, 'iPhone'],
  [/iPad|Macintosh.*Mobile/, 'iPad'],
  [/Android.*Mobile/, 'Android phone'],
  [/Android/, 'Android tablet'],
  [/Macintosh/, 'Mac'],
  [/Windows/, 'Windows PC'],
  [/CrOS/, 'Chromebook'],
  [/Linux/, 'Linux PC'],
];

const BROWSERS: readonly [RegExp, string][] = [
  [/Firefox|FxiOS/, 'Firefox'],
  [/Edg\//, 'Edge'],
  [/Chrome|CriOS/, 'Chrome'],
  [/Safari/, 'Safari'],
];

export function suggestedDeviceName(userAgent = navigator.userAgent): string {
  const find = (list: readonly [RegExp, string][]) => list.find(([pattern]) => pattern.test(userAgent))?.[1];
  return [find(KINDS) ?? 'Web', find(BROWSERS)].filter((part) => part !== undefined).join(', ');
}
