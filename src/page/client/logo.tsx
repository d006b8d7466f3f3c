export const Logo = () => (
  <svg class="logo" viewBox="0 0 64 64" aria-hidden="true">
    <rect width="64" height="64" rx="14" />
    <path d="m17 34 11 11 20-26" />
  </svg>
);
