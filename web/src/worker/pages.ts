/** The app's open pages, also those that this worker does not serve yet. */
export function pagesOf(clients: Pick<Clients, 'matchAll'>): Promise<readonly WindowClient[]> {
  return clients.matchAll({ type: 'window', includeUncontrolled: true });
}
