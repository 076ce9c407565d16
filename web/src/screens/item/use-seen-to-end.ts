/** Whether the end of an item has been in sight. Once seen stays seen, for as long as the item stays what it is. */
import { useEffect, useRef, useState } from 'preact/hooks';

/** What the bar of choices covers. */
const BAR_PX = 72;

export function useSeenToEnd() {
  const end = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    if (end.current === null) return undefined;
    const watch = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        setSeen(true);
        watch.disconnect();
      },
      { rootMargin: `0px 0px -${BAR_PX}px 0px` },
    );
    watch.observe(end.current);
    return () => watch.disconnect();
  }, []);
  return { end, seen };
}
