# bash completion for h2park
# Made from the option table by tools/docs; do not edit.
_h2park() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev="" command="" i
  COMPREPLY=()
  ((COMP_CWORD > 0)) && prev=${COMP_WORDS[COMP_CWORD - 1]}
  # Bash makes words of its own of "--name=value": the '=' is one.
  if [[ $cur == '=' ]]; then
    cur=""
  elif [[ $prev == '=' ]]; then
    prev=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      serve | get | stat)
        command=${COMP_WORDS[i]}
        break
        ;;
    esac
  done
  case $command,$prev in
    serve,--listen | serve,-l)
      return ;;
    serve,--tls-listen)
      return ;;
    serve,--cert)
      compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    serve,--key)
      compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    serve,--max-connections)
      return ;;
    serve,--threads | serve,-t)
      return ;;
    serve,--park)
      mapfile -t COMPREPLY < <(compgen -W 'on off' -- "$cur") ;;
    serve,--park-after)
      return ;;
    serve,--freeze-after)
      return ;;
    serve,--max-streams)
      return ;;
    serve,--max-header-bytes)
      return ;;
    serve,--max-header-fields)
      return ;;
    serve,--max-body-bytes)
      return ;;
    serve,--handshake-timeout)
      return ;;
    serve,--preface-timeout)
      return ;;
    serve,--header-timeout)
      return ;;
    serve,--idle-timeout)
      return ;;
    serve,--write-timeout)
      return ;;
    serve,--grace)
      return ;;
    serve,--root)
      compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
    serve,--access-log)
      mapfile -t COMPREPLY < <(compgen -W 'off text json' -- "$cur") ;;
    serve,--access-log-file)
      compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    serve,--stats)
      return ;;
    serve,--stats-token)
      compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    serve,--log-level)
      mapfile -t COMPREPLY < <(compgen -W 'error warn info debug' -- "$cur") ;;
    get,--request | get,-X)
      return ;;
    get,--header | get,-H)
      return ;;
    get,--data | get,-d)
      return ;;
    get,--data-binary)
      return ;;
    get,--data-raw)
      return ;;
    get,--user-agent | get,-A)
      return ;;
    get,--referer | get,-e)
      return ;;
    get,--cookie | get,-b)
      compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    get,--user | get,-u)
      return ;;
    get,--max-redirs)
      return ;;
    get,--retry)
      return ;;
    get,--max-time | get,-m)
      return ;;
    get,--output | get,-o)
      compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    get,--write-out | get,-w)
      return ;;
    get,--output-format)
      mapfile -t COMPREPLY < <(compgen -W 'text json' -- "$cur") ;;
    get,--plot)
      compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    get,--requests | get,-n)
      return ;;
    get,--concurrency | get,-c)
      return ;;
    get,--duration | get,-z)
      return ;;
    get,--rate | get,-q)
      return ;;
    get,--think)
      return ;;
    get,--read)
      return ;;
    get,--drain-bytes)
      return ;;
    get,--drain-time)
      return ;;
    get,--max-idle)
      return ;;
    get,--idle-timeout)
      return ;;
    get,--resolve)
      return ;;
    get,--connect-to)
      return ;;
    get,--unix-socket)
      compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    get,--connect-timeout)
      return ;;
    get,--proxy | get,-x)
      return ;;
    get,--noproxy)
      return ;;
    get,--cacert)
      compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    get,--capath)
      compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
    get,--cert | get,-E)
      compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    get,--key)
      compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    stat,--pid | stat,-p)
      return ;;
    stat,--stats-token)
      compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    stat,--format | stat,-f)
      mapfile -t COMPREPLY < <(compgen -W 'text json prom' -- "$cur") ;;
    stat,--fields)
      return ;;
    stat,--diff)
      compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    stat,--count | stat,-n)
      return ;;
    stat,--until | stat,-u)
      return ;;
    stat,--timeout)
      return ;;
    serve,*)
      mapfile -t COMPREPLY < <(compgen -W '--listen --tls-listen --cert --key --self-signed --max-connections --threads --park --park-after --freeze-after --max-streams --max-header-bytes --max-header-fields --max-body-bytes --handshake-timeout --preface-timeout --header-timeout --idle-timeout --write-timeout --grace --root --access-log --access-log-file --stats --stats-token --log-level --help --version' -- "$cur") ;;
    get,*)
      mapfile -t COMPREPLY < <(compgen -W '--request --header --data --data-binary --data-raw --head --user-agent --referer --cookie --user --compressed --http1.0 --http1.1 --location --location-trusted --max-redirs --fail --retry --max-time --output --remote-name --include --silent --show-error --verbose --write-out --output-format --plot --requests --concurrency --duration --rate --think --read --drain-bytes --drain-time --no-drain --max-idle --idle-timeout --ipv4 --ipv6 --resolve --connect-to --unix-socket --connect-timeout --proxy --noproxy --insecure --cacert --capath --cert --key --help --version' -- "$cur") ;;
    stat,*)
      mapfile -t COMPREPLY < <(compgen -W '--pid --stats-token --format --fields --diff --watch --count --until --timeout --help --version' -- "$cur") ;;
    ,*)
      mapfile -t COMPREPLY < <(compgen -W '--help --version serve get stat' -- "$cur") ;;
  esac
}
complete -F _h2park h2park
