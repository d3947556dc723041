/** The parts of Lua's library that are opened at all, under the names of their functions in C. */
export const openedLibraries = {
  _G: 'luaopen_base',
  coroutine: 'luaopen_coroutine',
  math: 'luaopen_math',
  string: 'luaopen_string',
  table: 'luaopen_table',
  utf8: 'luaopen_utf8',
} as const;

/**
 * Runs before the script: takes away what reaches files, bytecode and the collector, and puts the functions of the host
 * where the script finds them. The host's functions are in C's sense, so that errors name the line that called them.
 */
export const prelude = `
local host = ...
dofile, loadfile, collectgarbage, warn, string.dump = nil, nil, nil, nil, nil
getmetatable('').__metatable = false

local compile = load
function load(chunk, name, mode, ...)
  return compile(chunk, name, 't', ...)
end

local bind = host.bind
local function bound(group, names)
  local functions = {}
  for _, name in ipairs(names) do functions[name] = bind(group .. '.' .. name) end
  return functions
end

print = host.print
search = bound('search', { 'keyword', 'nls', 'commits', 'diffs', 'repos' })
source = bound('source', { 'read_file', 'list_files' })
code = bound('code', { 'definition', 'references' })
json = { encode = host.encode, decode = host.decode, null = host.decode('null') }
files = { write = host.write }
tools = setmetatable(bound('tools', host.tools), {
  __index = function(_, name) return bind('tools.' .. tostring(name)) end,
  __metatable = false,
})
`;
