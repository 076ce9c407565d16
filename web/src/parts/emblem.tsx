/** The app's mark, in the colour of its place. */
export function Emblem() {
  return (
    <svg class="emblem" viewBox="0 0 72 72" aria-hidden="true" focusable="false" fill="none">
      <path
        d="M36 7c7.500 5.200 15 6.900 23 7.200v19.300C59 49 49.500 59.500 36 65 22.500 59.500 13 49 13 33.500V14.200C21 13.900 28.500 12.200 36 7z"
        stroke="currentColor"
        stroke-width="3"
        stroke-linejoin="round"
      />
      <path
        d="M23 37.500c3.500.8 5.600 3.800 7.200 8 4-9.700 10-16.200 19.300-20.700"
        stroke="var(--yes)"
        stroke-width="4.500"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
