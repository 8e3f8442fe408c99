/**
 * Replaces $(NAME) by its value. A name without a value stays as it is written, and $$ stands for a dollar sign, so
 * that $$(NAME) is the text "$(NAME)".
 */
export function expand(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(/\$(?:\$|\(([^)]*)\))/g, (written, name?: string) => {
    if (name === undefined) return "$";
    return values.get(name) ?? written;
  });
}
