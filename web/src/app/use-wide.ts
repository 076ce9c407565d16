/** Whether the page has room for two columns. The width is the one of `theme/base.css`. */
import { useEffect, useState } from 'preact/hooks';

const WIDE = '(min-width: 60rem)';

export function useWide(): boolean {
  const [query] = useState(() => matchMedia(WIDE));
  const [wide, setWide] = useState(query.matches);
  useEffect(() => {
    const changed = () => setWide(query.matches);
    query.addEventListener('change', changed);
    return () => query.removeEventListener('change', changed);
  }, [query]);
  return wide;
}
