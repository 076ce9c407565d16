/** The app's few line icons, drawn here so that none is fetched. Always decoration: words stand beside them. */
const PATHS = {
  inbox:
    'M4 13l2.5-8h11L20 13v5a1.5 1.5 0 01-1.5 1.5h-13A1.5 1.5 0 014 18v-5zM4 13h4.5l1.2 2.4h4.6l1.2-2.4H20',
  history: 'M4.5 12a7.5 7.5 0 107.5-7.5A7.6 7.6 0 006 7.5M5.5 4v3.8h3.8M12 8v4.3l2.8 1.7',
  settings: 'M5 7h8m4 0h2M5 12h2m4 0h8M5 17h9m4 0h1M15 5v4M9 10v4M16 15v4',
  back: 'M15 5l-7 7 7 7',
  forward: 'M9 5l7 7-7 7',
  close: 'M6 6l12 12M18 6L6 18',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  cross: 'M7 7l10 10M17 7L7 17',
  alert: 'M12 4l9 15.5H3L12 4zM12 10v4.2M12 16.8v.2',
  info: 'M12 3.5a8.5 8.5 0 100 17 8.5 8.5 0 000-17zM12 11v5M12 7.8v.2',
  clock: 'M12 4a8 8 0 100 16 8 8 0 000-16zM12 8v4.3l2.8 1.7',
  plus: 'M12 5v14M5 12h14',
  copy: 'M9 9h10v11H9zM15 9V4H5v11h4',
  wrap: 'M4 6h16M4 12h12.5a3 3 0 010 6H13m2-2.2L12.8 18l2.2 2.2M4 18h4',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 9.2a2.8 2.8 0 100 5.6 2.8 2.8 0 000-5.6z',
  camera: 'M4 8h3.5L9 5.5h6L16.500 8H20v11H4zM12 10.200a3.200 3.200 0 100 6.400 3.200 3.200 0 000-6.400z',
  refresh: 'M19 12a7 7 0 11-2.200-5.100M19 4v4h-4',
  link: 'M10 14a4 4 0 005.700 0l3-3A4 4 0 0013 5.300l-1 1M14 10a4 4 0 00-5.700 0l-3 3A4 4 0 0011 18.700l1-1',
  offline: 'M4 9.500a12 12 0 0116 0M7 13a8 8 0 0110 0M12 17.500v.2M4 4l16 16',
  shield:
    'M12 3.500c2.400 1.700 4.700 2.200 7 2.300v5.400c0 4.500-2.800 7.600-7 9.300-4.200-1.700-7-4.800-7-9.300V5.800c2.300-.1 4.600-.6 7-2.300z',
  more: 'M6 12h.01M12 12h.01M18 12h.01',
  lock: 'M6.500 11h11v9h-11zM9 11V8a3 3 0 016 0v3',
  trash: 'M5 7h14M10 7V4.500h4V7M7 7l1 13h8l1-13M10.500 11v5.500M13.500 11v5.500',
  download: 'M12 4v11m-4-4l4 4 4-4M5 19.500h14',
  pencil: 'M4.500 19.500l1-4.200L16 4.800l3.200 3.200L8.700 18.500l-4.200 1zM13.500 7.300l3.200 3.200',
  stop: 'M8.500 4h7L20 8.500v7L15.500 20h-7L4 15.500v-7L8.500 4z',
  open: 'M14 5h5v5M19 5l-8 8M17 13.500V19H5V7h5.500',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
