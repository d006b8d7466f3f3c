// Brings a part of the document to what is described, and changes nothing else: what has the focus keeps it. It is
// what this page needs of a framework, at a sixth of the size of a small one.

type Component = (props: never) => Child;

/** What shall be there. */
export interface Description {
  type: string | Component;
  props: Props;
  key?: string | number | undefined;
}

interface Props {
  children?: Child;
  /** Called once, when the element is in the document. */
  ref?: (element: never) => void;
  [name: string]: unknown;
}

export type Child = Description | string | number | boolean | null | undefined | Child[];

interface Keyed extends Props {
  key?: string | number;
}

export const h = (type: string | Component, props: Keyed | null, ...children: Child[]): Description => ({
  type,
  props: { ...props, children: children.length > 1 ? children : children[0] },
  key: props?.key,
});

export const Fragment = ({ children }: { children?: Child }): Child => children;

export declare namespace JSX {
  type Element = Child;
  type ElementType = string | Component;
  interface ElementChildrenAttribute {
    children: unknown;
  }
  interface IntrinsicAttributes {
    key?: string | number;
  }
  interface Attributes {
    key?: string | number;
    children?: Child;
    // biome-ignore lint/suspicious/noExplicitAny: each element has a type of its own
    ref?: (element: any) => void;
    onClick?: (event: MouseEvent) => void;
    onChange?: (event: Event) => void;
    onSubmit?: (event: SubmitEvent) => void;
    onKeyDown?: (event: KeyboardEvent) => void;
    onPointerOver?: (event: PointerEvent) => void;
    onClose?: () => void;
    [name: string]: unknown;
  }
  interface IntrinsicElements {
    [type: string]: Attributes;
  }
}

/** An element or a text, with the name by which it is found again. */
interface Wanted {
  name: string;
  description: Description | string;
}

interface Drawn extends ChildNode {
  drawn?: Wanted;
}

/** What is left out takes a place too, so that its neighbours keep their names. */
function wantedIn(child: Child, place: string, wanted: Wanted[]): void {
  if (child === null || child === undefined || typeof child === 'boolean') return;
  if (Array.isArray(child)) {
    for (const [index, each] of child.entries()) wantedIn(each, `${place}.${keyOf(each) ?? index}`, wanted);
  } else if (typeof child !== 'object') {
    wanted.push({ name: `${place} text`, description: String(child) });
  } else if (typeof child.type === 'function') {
    wantedIn(child.type(child.props as never), place, wanted);
  } else {
    wanted.push({ name: `${place} ${child.type} ${child.key ?? ''}`, description: child });
  }
}

const keyOf = (child: Child) =>
  typeof child === 'object' && child !== null && 'key' in child ? child.key : undefined;

/** Makes `children` the content of an element. */
export function draw(parent: Element, children: Child): void {
  const refs: (() => void)[] = [];
  drawIn(parent, children, refs);
  for (const call of refs) call();
}

function drawIn(parent: Element, children: Child, refs: (() => void)[]): void {
  const wanted: Wanted[] = [];
  wantedIn(children, '', wanted);
  const names = new Set<string>();
  for (const each of wanted) {
    while (names.has(each.name)) each.name += ' again'; // a key that is given twice
    names.add(each.name);
  }
  const known = new Map<string | undefined, Drawn>();
  for (const node of [...parent.childNodes] as Drawn[]) {
    if (names.has(node.drawn?.name ?? '')) known.set(node.drawn?.name, node);
    else node.remove();
  }
  let next = parent.firstChild;
  for (const each of wanted) {
    const node = known.get(each.name) ?? made(each, parent);
    update(node, each, refs);
    if (node === next) next = next.nextSibling;
    else parent.insertBefore(node, next);
  }
}

const SVG = 'http://www.w3.org/2000/svg';

function made({ description }: Wanted, parent: Element): Drawn {
  if (typeof description === 'string') return document.createTextNode(description);
  const type = String(description.type);
  const isSvg = type === 'svg' || parent.namespaceURI === SVG;
  return isSvg ? document.createElementNS(SVG, type) : document.createElement(type);
}

function update(node: Drawn, wanted: Wanted, refs: (() => void)[]): void {
  const before = node.drawn?.description;
  const { description } = wanted;
  node.drawn = wanted;
  if (before === description) return;
  if (typeof description === 'string') {
    node.nodeValue = description;
    return;
  }
  const element = node as unknown as Element;
  const { props } = description;
  const old: Props = typeof before === 'object' ? before.props : {};
  for (const name of new Set([...Object.keys(old), ...Object.keys(props)])) {
    if (old[name] !== props[name]) setProperty(element, name, props[name], before === undefined);
  }
  drawIn(element, props.children, refs);
  const { ref } = props;
  if (before === undefined && ref) refs.push(() => ref(element as never));
}

/** What a person enters is theirs: a value is set at the beginning only. */
const INITIAL: Record<string, string> = { defaultValue: 'value', defaultChecked: 'checked' };

function setProperty(element: Element, name: string, value: unknown, isNew: boolean): void {
  if (['children', 'key', 'ref'].includes(name)) return;
  const initial = INITIAL[name];
  if (initial) {
    if (isNew) Reflect.set(element, initial, value);
  } else if (/^on[A-Z]/.test(name)) Reflect.set(element, name.toLowerCase(), value ?? null);
  else if (value === undefined || value === null || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true && !name.startsWith('aria') ? '' : String(value));
}
