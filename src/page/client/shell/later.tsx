import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { loaded } from '../sync/api.js';
import type { Dialog } from '../sync/store.js';
import { open, takeTurn } from '../ui/dialog.js';

/** Opens a dialog whose view is loaded only now. */
export async function openLater<Part>(
  title: string,
  load: () => Promise<Part>,
  view: (part: Part) => Dialog['view'],
  address = '',
): Promise<void> {
  const isStillWanted = takeTurn();
  const part = await loaded(load);
  if (isStillWanted()) open(title, view(part), address);
}

interface LaterProps<Props> {
  load: () => Promise<ComponentType<Props>>;
  props: Props;
}

/** For what takes long: the list is painted first, and not kept waiting. */
export function Later<Props>({ load, props }: LaterProps<Props>) {
  const [loadedView, setView] = useState<{ View: ComponentType<Props> }>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is loaded once
  useEffect(() => void loaded(load).then((View) => setView({ View })), []);
  if (!loadedView) return null;
  const { View } = loadedView;
  return <View {...(props as Props & object)} />;
}
