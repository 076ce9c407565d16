/** The app's open pages, also those that this worker does not serve yet. Another page of the same host is not one. */
export async function pagesOf(clients: Pick<Clients, 'matchAll'>, scope: string): Promise<WindowClient[]> {
  const windows = await clients.matchAll({ type: 'window', includeUncontrolled: true });
  return windows.filter(({ url }) => url.startsWith(scope));
}
