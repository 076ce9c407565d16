/** Which advice about installing fits this browser; none once the app is installed. */
export type InstallHintName = 'ios' | 'android' | 'desktop';

export function installHint(
  userAgent = navigator.userAgent,
  standalone = isStandalone(),
): InstallHintName | undefined {
  if (standalone) return undefined;
  if (/iPhone|iPad|Macintosh.*Mobile/.test(userAgent)) return 'ios';
  return /Android/.test(userAgent) ? 'android' : 'desktop';
}

function isStandalone(): boolean {
  return (
    matchMedia('(display-mode: standalone)').matches ||
    (navigator as Navigator & { standalone?: boolean }).standalone === true
  );
}
