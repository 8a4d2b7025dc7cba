import type { Attributes, ComponentChildren, ComponentType, JSX, VNode } from 'preact';

type Data = { [name: `data-${string}`]: string | undefined };

/** Makes an element or a component; the compiler checks the names and types of its attributes. */
export interface H {
  <K extends keyof JSX.IntrinsicElements>(
    tag: K,
    attributes: (JSX.IntrinsicElements[K] & Attributes & Data) | null,
    ...children: ComponentChildren[]
  ): VNode;
  <P>(component: ComponentType<P>, properties: P & Attributes, ...children: ComponentChildren[]): VNode;
}
