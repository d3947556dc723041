/** A tenth of a pixel is hardly seen, and the digits after it and places said twice are half of a long chart. */
export const shortSvg = (svg: string): string =>
  svg
    .replace(/="[^"<>]*"/g, (attribute) =>
      attribute.replace(/\d+\.\d\d+/g, (number) => String(Number(Number(number).toFixed(1)))),
    )
    .replace(/ d="([^"]*)"/g, (_, path: string) => ` d="${shortPath(path)}"`);

/** Lines along an axis, of which steps consist, name one coordinate (SVG 2, section 9.3.4); those to where one is already are left out. */
function shortPath(path: string): string {
  let [x, y] = ['', ''];
  return path.replace(/[A-Za-z][\d.-]+,[\d.-]+/g, (step) => {
    const [toX = '', toY = ''] = step.slice(1).split(',');
    const [sameX, sameY] = [toX === x, toY === y];
    [x, y] = [toX, toY];
    if (!step.startsWith('L') || !(sameX || sameY)) return step;
    if (sameX && sameY) return '';
    return sameX ? `V${toY}` : `H${toX}`;
  });
}
