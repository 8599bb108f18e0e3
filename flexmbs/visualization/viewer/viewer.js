"use strict";
// Plays the glTF file that the page carries: nodes with animated poses, morph targets with animated weights.
const $ = (id) => document.getElementById(id);
function fail(text) { $("failure").hidden = false; $("failure").textContent = text; }
addEventListener("error", (e) => { if ($("failure").hidden) fail(`This page could not be drawn: ${e.message}`); });
const VIRIDIS = [[68, 58, 131], [56, 89, 140], [44, 114, 142], [34, 140, 141], [32, 164, 134], [63, 188, 115], [117, 208, 84],
  [186, 222, 40], [253, 231, 37]];  // without its darkest part
// displacements of all points by the targets, once for each point; kept in a buffer
const MORPH = `#version 300 es
precision highp float; precision highp int; precision highp sampler2D;
uniform sampler2D targets, weights;
uniform int count, vertices, width;
out vec3 moved;
void main() {
  moved = vec3(0.0);
  for (int k = 0; k < count; k++) {
    int i = k * vertices + gl_VertexID;
    moved += texelFetch(weights, ivec2(k, 0), 0).r * texelFetch(targets, ivec2(i % width, i / width), 0).xyz;
  }
}`;
const NOTHING = "#version 300 es\nprecision highp float; out vec4 colour; void main() { colour = vec4(0.0); }";
const VERTEX = `#version 300 es
precision highp float; precision highp int; precision highp sampler2D;
in vec3 position, moved;
uniform mat4 model, camera, rigid;
uniform sampler2D levels;
uniform int vertices, width, mode, before, after;
uniform float factor, share, top;
out vec3 place; out float value;
float level(int frame) {
  int i = frame * vertices + gl_VertexID;
  return texelFetch(levels, ivec2(i % width, i / width), 0).r;
}
void main() {
  vec3 still = (rigid * vec4(position, 1.0)).xyz;  // moved as a whole; what remains is deformation
  vec4 p = model * vec4(still + factor * (position + moved - still), 1.0);
  place = p.xyz;
  value = length(moved) / top;
  if (mode == 2) {
    float a = level(before), b = level(after);
    value = a == 0.0 || b == 0.0 ? -1.0 : (mix(a, b, share) * 255.0 - 1.0) / 254.0 * top;
  }
  gl_Position = camera * p;
}`;
const FRAGMENT = `#version 300 es
precision highp float; precision highp int;
in vec3 place; in float value;
uniform vec3 eye, light, plain, ramp[9];
uniform int mode;
out vec4 colour;
void main() {
  vec3 n = normalize(cross(dFdx(place), dFdy(place)));
  if (dot(n, eye - place) < 0.0) n = -n;
  vec3 base = plain;
  if (mode > 0 && value > -0.5) {
    float x = clamp(value, 0.0, 1.0) * 8.0;
    int i = min(int(x), 7);
    base = mix(ramp[i], ramp[i + 1], x - float(i));
  }
  colour = vec4(base * (0.55 + 0.3 * max(dot(n, light), 0.0) + 0.2 * max(dot(n, normalize(eye - place)), 0.0)), 1.0);
}`;

// --- small linear algebra: matrices of 16 numbers, column by column --------------------------------------------------

const multiply = (a, b) => {
  const c = new Float32Array(16);
  for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++) for (let k = 0; k < 4; k++) c[4 * j + i] += a[4 * k + i] * b[4 * j + k];
  return c;
};
const placed = (p, [x, y, z, w], s) => [
  (1 - 2 * (y * y + z * z)) * s[0], 2 * (x * y + z * w) * s[0], 2 * (x * z - y * w) * s[0], 0,
  2 * (x * y - z * w) * s[1], (1 - 2 * (x * x + z * z)) * s[1], 2 * (y * z + x * w) * s[1], 0,
  2 * (x * z + y * w) * s[2], 2 * (y * z - x * w) * s[2], (1 - 2 * (x * x + y * y)) * s[2], 0, p[0], p[1], p[2], 1];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const unit = (a) => { const n = Math.hypot(...a) || 1; return a.map((x) => x / n); };

// --- the file --------------------------------------------------------------------------------------------------------

function readFile() {
  const text = atob($("glb").textContent.trim()), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  $("glb").remove();
  const head = new DataView(bytes.buffer), n = head.getUint32(12, true);
  const said = JSON.parse(new TextDecoder().decode(bytes.subarray(20, 20 + n)));
  const widths = { SCALAR: 1, VEC3: 3, VEC4: 4 }, kinds = { 5126: Float32Array, 5125: Uint32Array, 5121: Uint8Array };
  const array = (i) => {
    const a = said.accessors[i], view = said.bufferViews[a.bufferView];
    return new kinds[a.componentType](bytes.buffer, 28 + n + (view.byteOffset || 0), a.count * widths[a.type]);
  };
  return { said, array };
}

const enlarged = $("glb").dataset.factor;
const { said, array } = readFile();
const about = said.asset.extras.flexmbs, root = said.nodes[0];
const turn = root.rotation, metres = root.scale[0];
const world = placed([0, 0, 0], turn, [1, 1, 1]);  // in units of the model: legends and clock speak of these
const animation = (said.animations || [{ samplers: [], channels: [] }])[0];
const times = animation.samplers.length ? array(animation.samplers[0].input) : new Float32Array([0]);
const duration = times[times.length - 1];

// --- the scene on the graphics card ----------------------------------------------------------------------------------

const canvas = $("scene"), gl = canvas.getContext("webgl2", { antialias: true });
if (!gl) {
  fail("This browser does not offer WebGL 2, which this page needs to draw.");
  throw new Error("no WebGL 2");
}
function linked(vertex, fragment, kept) {  // a program and the places of its uniforms
  const program = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.bindAttribLocation(program, 0, "position");
  gl.bindAttribLocation(program, 1, "moved");
  if (kept) gl.transformFeedbackVaryings(program, kept, gl.SEPARATE_ATTRIBS);
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
  return [program, new Proxy({}, { get: (known, name) => (known[name] ??= gl.getUniformLocation(program, name)) })];
}
const [morpher, of] = linked(MORPH, NOTHING, ["moved"]), [painter, at] = linked(VERTEX, FRAGMENT);
gl.enable(gl.DEPTH_TEST);
gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
const WIDTH = Math.min(4096, gl.getParameter(gl.MAX_TEXTURE_SIZE));
gl.useProgram(morpher);
gl.uniform1i(of.width, WIDTH);
gl.uniform1i(of.weights, 1);
gl.useProgram(painter);
gl.uniform1i(at.width, WIDTH);
gl.uniform3fv(at.ramp, VIRIDIS.flat().map((x) => x / 255));

function texture(values, inner, format, kind, width, height) {
  const made = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, made);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  gl.texImage2D(gl.TEXTURE_2D, 0, inner, width, height, 0, format, kind, values);
  return made;
}

function filled(kind, pieces, size) {  // pieces behind each other in rows of the texture
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0), height = Math.max(1, Math.ceil(length / size / WIDTH));
  if (height > gl.getParameter(gl.MAX_TEXTURE_SIZE)) throw new Error("a body has too many points and shapes for this graphics card");
  const all = new kind(height * WIDTH * size);
  let start = 0;
  for (const piece of pieces) { all.set(piece, start); start += piece.length; }
  return [all, height];
}

gl.activeTexture(gl.TEXTURE0);
const none = texture(null, gl.R8, gl.RED, gl.UNSIGNED_BYTE, 1, 1);
const meshes = said.meshes.map((mesh) => {
  const shape = mesh.primitives[0], extras = mesh.extras || {}, points = array(shape.attributes.POSITION);
  const vao = gl.createVertexArray();
  gl.bindVertexArray(vao);
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, points, gl.STATIC_DRAW);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
  const indices = array(shape.indices);
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
  const targets = (shape.targets || []).map((target) => array(target.POSITION));
  const rgb = said.materials[shape.material].pbrMetallicRoughness.baseColorFactor.slice(0, 3)
    .map((x) => (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055));
  const made = { vao, size: indices.length, vertices: points.length / 3, count: targets.length, rgb, levels: none,
    start: Float32Array.from(mesh.weights || []), ...extras };
  if (targets.length) {
    made.moved = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, made.moved);
    gl.bufferData(gl.ARRAY_BUFFER, 4 * points.length, gl.DYNAMIC_COPY);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(1, 3, gl.FLOAT, false, 0, 0);
    const [all, height] = filled(Float32Array, targets, 3);
    made.targets = texture(all, gl.RGB32F, gl.RGB, gl.FLOAT, WIDTH, height);
    made.weights = texture(made.start, gl.R32F, gl.RED, gl.FLOAT, targets.length, 1);
  }
  if (extras.levels !== undefined) {
    const values = array(extras.levels), [all, height] = filled(Uint8Array, [values], 1);
    made.frames = values.length / made.vertices;
    made.levels = texture(all, gl.R8, gl.RED, gl.UNSIGNED_BYTE, WIDTH, height);
  }
  return made;
});
gl.bindVertexArray(null);
gl.bindBuffer(gl.ARRAY_BUFFER, null);  // what is written by the morphing must not be bound elsewhere
const parts = root.children.map((number) => {
  const node = said.nodes[number], tracks = {};
  for (const channel of animation.channels)
    if (channel.target.node === number) tracks[channel.target.path] = array(animation.samplers[channel.sampler].output);
  const { fits } = meshes[node.mesh];
  if (fits) [tracks.fitPlace, tracks.fitRotation] = fits.map(array);
  return { name: node.name, kind: node.extras.kind, mesh: meshes[node.mesh], tracks, shown: true,
    translation: node.translation || [0, 0, 0], rotation: node.rotation || [0, 0, 0, 1], scale: node.scale || [1, 1, 1] };
});

// --- what is shown: time, view, colours ------------------------------------------------------------------------------

const state = { now: 0, playing: true, rate: 1, colour: "part", factor: 1, yaw: 0.6, pitch: 0.45, distance: 1, target: [0, 0, 0] };
const corner = (x, y, z) => [0, 1, 2].map((i) => world[i] * x + world[4 + i] * y + world[8 + i] * z);
const box = [about.low, about.high].map((c) => corner(...c));
const middle = [0, 1, 2].map((i) => (box[0][i] + box[1][i]) / 2);
const radius = Math.hypot(...[0, 1, 2].map((i) => (box[1][i] - box[0][i]) / 2)) || 1;
const VIEWS = { iso: [0.6, 0.45], front: [0, 0], top: [0, Math.PI / 2 - 1e-4], side: [Math.PI / 2, 0] };
const FIELD = 0.6, UNMOVED = placed([0, 0, 0], [0, 0, 0, 1], [1, 1, 1]);

function fit(view) {
  if (view in VIEWS) [state.yaw, state.pitch] = VIEWS[view];
  state.target = middle.slice();
  // the box, seen along the present direction, within the field of view
  const [right, up, back] = axes(), aspect = Math.min(1.6, innerWidth / innerHeight), half = Math.tan(FIELD / 2);
  let distance = 0;
  for (let k = 0; k < 8; k++) {
    const c = [0, 1, 2].map((i) => box[(k >> i) & 1][i] - middle[i]);
    distance = Math.max(distance, dot(c, back) + Math.max(Math.abs(dot(c, up)), Math.abs(dot(c, right)) / aspect) / half);
  }
  state.distance = 1.15 * distance || 2 * radius;
}

function axes() {  // of the camera: right, up, towards the viewer
  const c = Math.cos(state.pitch), back = [Math.sin(state.yaw) * c, Math.sin(state.pitch), Math.cos(state.yaw) * c];
  const right = [Math.cos(state.yaw), 0, -Math.sin(state.yaw)];
  return [right, cross(back, right), back];
}

function moment(now) {  // key frames before and after, and the share of the way between them
  let low = 0, high = times.length - 1;
  while (high - low > 1) { const m = (low + high) >> 1; if (times[m] <= now) low = m; else high = m; }
  const gap = times[high] - times[low];
  return [low, high, gap > 0 ? Math.min(1, Math.max(0, (now - times[low]) / gap)) : 0];
}

function value(part, path, width, [i, j, share]) {
  const track = part.tracks[path];
  if (!track) return path === "weights" ? part.mesh.start : part[path];
  const a = track.subarray(i * width, (i + 1) * width), b = track.subarray(j * width, (j + 1) * width);
  if (path !== "rotation" && path !== "fitRotation") return a.map((x, k) => x + share * (b[k] - x));
  let cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const sign = cosine < 0 ? -1 : 1, angle = Math.acos(Math.min(1, Math.abs(cosine))), sine = Math.sin(angle);
  const p = sine < 1e-6 ? 1 - share : Math.sin((1 - share) * angle) / sine, q = sine < 1e-6 ? share : Math.sin(share * angle) / sine;
  return a.map((x, k) => p * x + sign * q * b[k]);
}

function tops() {  // ends of the colours over all parts that are shown
  const seen = parts.filter((part) => part.shown);
  return { displacement: Math.max(0, ...seen.map((p) => (p.mesh.count ? p.mesh.largest : 0))),
    stress: Math.max(0, ...seen.map((p) => p.mesh.peak || 0)) };
}

function morph(when) {
  gl.useProgram(morpher);
  gl.enable(gl.RASTERIZER_DISCARD);
  gl.bindVertexArray(null);
  for (const part of parts) {
    const mesh = part.mesh;
    if (!mesh.count) continue;
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, mesh.targets);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, mesh.weights);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, mesh.count, 1, gl.RED, gl.FLOAT, value(part, "weights", mesh.count, when));
    gl.uniform1i(of.count, mesh.count);
    gl.uniform1i(of.vertices, mesh.vertices);
    gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, 0, mesh.moved);
    gl.beginTransformFeedback(gl.POINTS);
    gl.drawArrays(gl.POINTS, 0, mesh.vertices);
    gl.endTransformFeedback();
  }
  gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, 0, null);
  gl.disable(gl.RASTERIZER_DISCARD);
  gl.useProgram(painter);
}

function draw() {
  const ratio = Math.min(devicePixelRatio || 1, 2), wide = Math.round(innerWidth * ratio), tall = Math.round(innerHeight * ratio);
  if (canvas.width !== wide || canvas.height !== tall) { canvas.width = wide; canvas.height = tall; }
  gl.viewport(0, 0, wide, tall);
  const when = moment(state.now), top = tops();
  if (state.morphed !== state.now) { morph(when); state.morphed = state.now; }
  const rgb = getComputedStyle(document.documentElement).getPropertyValue("--back").trim();
  gl.clearColor(...[1, 3, 5].map((i) => parseInt(rgb.slice(i, i + 2), 16) / 255), 1);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  const [right, up, back] = axes(), eye = state.target.map((x, i) => x + state.distance * back[i]);
  const near = Math.max(state.distance - 2.5 * radius, 0.01 * state.distance), far = state.distance + 3 * radius;
  const f = 1 / Math.tan(FIELD / 2);
  const lens = [f * tall / wide, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0];
  const view = [right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0,
    -dot(right, eye), -dot(up, eye), -dot(back, eye), 1];
  const camera = multiply(lens, view);
  gl.uniformMatrix4fv(at.camera, false, camera);
  gl.uniform3fv(at.eye, eye);
  gl.uniform3fv(at.light, unit([0, 1, 2].map((i) => 0.5 * right[i] + 0.8 * up[i] + 0.6 * back[i])));
  for (const part of parts) {
    if (!part.shown) continue;
    const mesh = part.mesh, [p, r, s] = [["translation", 3], ["rotation", 4], ["scale", 3]].map(([n, w]) => value(part, n, w, when));
    gl.uniformMatrix4fv(at.model, false, multiply(world, placed(p, r, s)));
    gl.uniform1i(at.vertices, mesh.vertices);
    gl.uniform3fv(at.plain, mesh.rgb);
    gl.uniform1f(at.factor, state.factor);
    gl.uniformMatrix4fv(at.rigid, false, mesh.fits
      ? placed(value(part, "fitPlace", 3, when), value(part, "fitRotation", 4, when), [1, 1, 1]) : UNMOVED);
    let mode = 0;
    if (state.colour === "displacement" && mesh.count) mode = 1;
    if (state.colour === "stress" && mesh.frames) mode = 2;
    gl.uniform1i(at.mode, mode);
    gl.uniform1f(at.top, mode === 2 ? mesh.peak / (top.stress || 1) : top.displacement || 1);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, mesh.levels);
    if (mode === 2) {
      const x = (when[0] + when[2] * (when[1] - when[0])) / mesh.stride, i = Math.min(Math.floor(x), mesh.frames - 1);
      gl.uniform1i(at.before, i);
      gl.uniform1i(at.after, Math.min(i + 1, mesh.frames - 1));
      gl.uniform1f(at.share, Math.min(1, x - i));
    }
    gl.bindVertexArray(mesh.vao);
    gl.drawElements(gl.TRIANGLES, mesh.size, gl.UNSIGNED_INT, 0);
  }
  const t = about.start + state.now * about.speed, digits = Math.max(0, Math.min(9, 3 - Math.floor(Math.log10(duration * about.speed || 1))));
  $("clock").textContent = `t = ${t.toFixed(digits)} ${about.time}`;
  $("time").value = state.now;
  $("triad").innerHTML = [0, 1, 2].map((k) => {
    const a = [world[4 * k], world[4 * k + 1], world[4 * k + 2]], x = 36 * dot(a, right), y = -36 * dot(a, up);
    const c = ["#d1495b", "#4f9a5b", "#4f8fd0"][k];
    return `<line x2="${x}" y2="${y}" stroke="${c}" stroke-width="3"/><text x="${1.25 * x - 4}" y="${1.25 * y + 4}">${"xyz"[k]}</text>`;
  }).join("");
  if (state.report) {  // for those who test the page: from coordinates of the model to the cube that is seen, by rows
    const whole = multiply(camera, world), rows = [0, 1, 2, 3].map((i) => [0, 1, 2, 3].map((j) => whole[4 * j + i]));
    console.info(`report ${JSON.stringify({ camera: rows, size: [innerWidth, innerHeight], failure: gl.getError() })} end`);
  }
}

let pending = false, last = 0;
function refresh() { if (!pending) { pending = true; requestAnimationFrame(step); } }
function step(stamp) {
  pending = false;
  if (state.playing) {
    state.now += Math.min(0.25, last ? (stamp - last) / 1000 : 0) * state.rate;
    if (state.now > duration) state.now = duration ? state.now % duration : 0;
  }
  last = state.playing ? stamp : 0;
  draw();
  if (state.playing) refresh();
}

// --- controls --------------------------------------------------------------------------------------------------------

function play(on) {
  state.playing = on && duration > 0;
  $("icon").setAttribute("d", state.playing ? "M5 3h4v14H5zM11 3h4v14h-4z" : "M5 3l12 7-12 7z");
  refresh();
}

function number(x) { return x === 0 ? "0" : Math.abs(x) >= 1e-3 && Math.abs(x) < 1e5 ? +x.toPrecision(3) + "" : x.toExponential(1); }

function legend() {
  const top = tops()[state.colour], stress = state.colour === "stress";
  $("legend").hidden = state.colour === "part";
  if (state.colour === "part") return;
  $("quantity").textContent = stress ? `von Mises stress [${about.stress}]` : `displacement [${about.length}]`;
  $("ramp").style.background = `linear-gradient(90deg,${VIRIDIS.map((c) => `rgb(${c})`)})`;
  $("ticks").innerHTML = [0, 0.5, 1].map((x) => `<li>${number(x * top)}</li>`).join("");
  const some = parts.some((p) => p.mesh.count && !p.mesh.linear), reduced = parts.some((p) => p.mesh.count && p.mesh.linear);
  $("note").textContent = stress ? "" : [reduced && "reduced bodies: in their frames", some && `${reduced ? "others: " : ""}distance from the first picture`].filter(Boolean).join("; ");
}

function rows() {
  const groups = new Map();
  for (const part of parts) {
    const name = part.kind === "body" ? part.name : { joint: "joints", spring: "springs", bar: "bars", ground: "ground" }[part.kind];
    const key = part.kind === "body" ? "body " + name : name;
    if (!groups.has(key)) groups.set(key, { name, parts: [] });
    groups.get(key).parts.push(part);
  }
  for (const group of groups.values()) {
    const label = document.createElement("label"), check = document.createElement("input"), patch = document.createElement("i");
    check.type = "checkbox";
    check.checked = true;
    patch.style.background = `rgb(${group.parts[0].mesh.rgb.map((x) => Math.round(255 * x))})`;
    check.onchange = () => { group.parts.forEach((part) => { part.shown = check.checked; }); legend(); refresh(); };
    label.append(check, patch, group.name + (group.parts.length > 1 ? ` (${group.parts.length})` : ""));
    $("list").append(label);
  }
}

function options(id, choices, chosen) {
  $(id).innerHTML = choices.map(([value, text]) => `<option value="${value}"${value === chosen ? " selected" : ""}>${text}</option>`).join("");
}

function pace(x) { const v = number(x * about.speed); return about.time === "s" ? `${v} ×` : `${v} ${about.time}/s`; }
$("play").onclick = () => play(!state.playing);
$("time").max = duration || 1;
$("time").oninput = (e) => { state.now = +e.target.value; play(false); };
options("rate", [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 10].map((x) => [x, pace(x)]), 1);
$("rate").onchange = (e) => { state.rate = +e.target.value; };
const top0 = tops(), choices = [["part", "by part"]];
if (top0.displacement > 0) choices.push(["displacement", "displacement"]);
if (top0.stress > 0) choices.push(["stress", "von Mises stress"]);
// displacements of what moves as a whole say little: such parts begin in their own colours
if (parts.some((p) => p.mesh.count && p.mesh.largest > 0 && !p.mesh.rigid)) state.colour = "displacement";
$("colour").onchange = (e) => { state.colour = e.target.value; legend(); refresh(); };
$("factorlabel").hidden = !parts.some((part) => part.mesh.count);
$("factor").oninput = (e) => { if (+e.target.value >= 0) { state.factor = +e.target.value; refresh(); } };
$("fit").onclick = () => { fit(); refresh(); };
$("theme").onclick = () => { theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"); refresh(); };
$("fold").onclick = (e) => { $("list").hidden = !$("list").hidden; e.target.setAttribute("aria-expanded", String(!$("list").hidden)); };
function theme(name) { document.documentElement.dataset.theme = name; }

const fingers = new Map();
function drag(dx, dy, shift) {
  if (!shift) {
    state.yaw -= 0.007 * dx;
    state.pitch = Math.min(1.57, Math.max(-1.57, state.pitch + 0.007 * dy));
  } else {
    const [right, up] = axes(), scale = 2 * state.distance * Math.tan(FIELD / 2) / innerHeight;
    state.target = state.target.map((x, i) => x + scale * (dy * up[i] - dx * right[i]));
  }
  refresh();
}
function zoom(by) { state.distance = Math.min(50 * radius, Math.max(1e-3 * radius, state.distance * by)); refresh(); }
canvas.onpointerdown = (e) => { fingers.set(e.pointerId, e); canvas.setPointerCapture(e.pointerId); };
canvas.onpointerup = canvas.onpointercancel = (e) => fingers.delete(e.pointerId);
canvas.onpointermove = (e) => {
  const old = fingers.get(e.pointerId);
  if (!old) return;
  const dx = e.clientX - old.clientX, dy = e.clientY - old.clientY;
  if (fingers.size === 2) {
    const other = [...fingers.values()].find((x) => x.pointerId !== e.pointerId);
    const gap = (x) => Math.hypot(x.clientX - other.clientX, x.clientY - other.clientY) || 1;
    drag(dx / 2, dy / 2, true);
    zoom(gap(old) / gap(e));
  } else drag(dx, dy, e.shiftKey || old.button === 2 || old.button === 1 || (e.buttons & 6) !== 0);
  fingers.set(e.pointerId, e);
};
canvas.oncontextmenu = (e) => e.preventDefault();
canvas.addEventListener("wheel", (e) => { e.preventDefault(); zoom(Math.exp(0.0015 * e.deltaY)); }, { passive: false });
addEventListener("resize", refresh);
addEventListener("keydown", (e) => {
  if (/INPUT|SELECT|BUTTON/.test(e.target.tagName) && e.key !== "f") return;
  if (e.key === " ") { e.preventDefault(); play(!state.playing); }
  if (e.key === "ArrowLeft" || e.key === "ArrowRight") {
    const [i, j, share] = moment(state.now), ahead = e.key === "ArrowRight";
    state.now = times[ahead ? (share < 1 ? j : Math.min(j + 1, times.length - 1)) : share > 0 ? i : Math.max(i - 1, 0)];
    play(false);
  }
  if (e.key === "f") { fit(); refresh(); }
});

// --- start: what the address asks for, such as #t=1.5&colour=stress&view=top&theme=dark ------------------------------

function start() {
  const asked = new URLSearchParams(location.hash.slice(1)), wanted = asked.get("colour");
  theme(asked.get("theme") || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
  if (choices.some(([name]) => name === wanted)) state.colour = wanted;
  options("colour", choices, state.colour);
  state.factor = +(asked.get("factor") ?? enlarged);
  $("factor").value = state.factor;
  if (asked.has("bare")) document.body.classList.add("bare");
  fit(asked.get("view") || (about.flat ? "front" : "iso"));
  if (asked.has("t")) state.now = Math.min(duration, Math.max(0, (+asked.get("t") - about.start) / about.speed));
  legend();
  play(!asked.has("t") && !matchMedia("(prefers-reduced-motion: reduce)").matches);
  draw();
  if (asked.has("bench")) {  // milliseconds a picture takes, with all its drawing done
    const n = +asked.get("bench"), pixel = new Uint8Array(4), begin = performance.now();
    for (let k = 0; k < n; k++) { state.now = duration * k / n; draw(); gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel); }
    document.body.dataset.milliseconds = (performance.now() - begin) / n;
  }
  state.report = asked.has("report");
}
rows();
start();
addEventListener("hashchange", () => { start(); refresh(); });
