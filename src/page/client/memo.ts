import { type Attributes, Component, type ComponentChild, type FunctionComponent, h } from 'preact';

/** Drawn again only when one of its properties is another one. */
export const memo = <Props extends object>(View: FunctionComponent<Props>) =>
  class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      const before: Props = this.props;
      return Object.keys(next).some((name) => Reflect.get(next, name) !== Reflect.get(before, name));
    }
    override render(): ComponentChild {
      return h(View, this.props as Props & Attributes);
    }
  };
