# Ends a command in time, even when the JVM that started both is killed or stopped.
#
# Orders come on standard input, one a line, each with " ;" at its end. Times are readings of the clock below, in milliseconds.
#   expect MARK            guard every process with HOLDFAST_EXEC=MARK in its environment, until 'command' names the process
#   command PID            guard this process and its descendants
#   valid END WARN UNTIL   send TERM at WARN and KILL at END; the lock is valid until UNTIL. A later order replaces all three
#   signal NAME            pass a signal on to the command and its descendants
#   warn                   send TERM, unless it was sent since the last renewal
#   kill                   kill the command now
#   over                   the command has ended; exit when all processes that were signaled with it have, too
# End of input means that the JVM has ended: send TERM at once, and KILL in time. The JVM may have ended before it could name
# the process that it had started.
#
# Answers: "ready" at the start, "warned" and "killed" when done, "gone" at the end. Measurements are written to standard error.

trap '' HUP INT PIPE QUIT TERM TSTP TTIN TTOU
cd /

mark=
command=
idle= # a descriptor that never has input
guarded=() # the start times, by process id
parents=()
starts=()
sent=()
end=
warn=
until=
warned=
killing= # since when
late=
stopped=
over=
orphaned=

# ---- priority: a guard that waits for a processor is late. Only some users may raise it; others keep what they have.
# The priority of the command stays as it is: one of its processes that outlived the kill would keep the higher one.

renice -n -20 -p $$ >/dev/null 2>&1
[ ! -w /proc/$$/autogroup ] || { echo -20 >/proc/$$/autogroup; } 2>/dev/null

# ---- the clock: it continues in a suspended machine, and never steps if the system has such a clock

if [ -r /proc/uptime ]; then
    clock() {
        read -r now _ </proc/uptime
        now=${now/./}0
    }
elif [ -n "${EPOCHREALTIME:-}" ]; then
    clock() {
        now=$((${EPOCHREALTIME/[.,]/} / 1000))
    }
else
    clock() {
        now=$((($(date +%s) + 1) * 1000))
    }
fi

# ---- processes

# Reads the state of the given processes, or of all. Zombies count as ended.
if [ -r /proc/self/stat ]; then
    look() {
        parents=() starts=()
        [ $# -gt 0 ] || set -- /proc/[0-9]*
        look_too "$@"
    }
    look_too() {
        local stat file
        for file; do
            stat=
            IFS= read -r -d '' stat 2>/dev/null <"/proc/${file##*/}/stat"
            # the name before the last parenthesis may hold anything
            set -- ${stat##*) }
            case ${1:-Z} in
                Z | X) ;;
                *) parents[${file##*/}]=$2 starts[${file##*/}]=${20} ;;
            esac
        done
    }
else
    look() {
        local pid parent state start
        parents=() starts=()
        while read -r pid parent state start; do
            case $state in
                Z*) ;;
                *) parents[pid]=$parent starts[pid]=$start ;;
            esac
        done < <(ps -A -o pid= -o ppid= -o stat= -o lstart=)
    }
fi

# Drops processes that have ended. A process with another start time is a new one with a reused id.
forget() {
    local pid
    for pid in "${!guarded[@]}"; do
        [ "${starts[pid]:-}" = "${guarded[pid]}" ] || unset "guarded[pid]"
    done
}

# Adds processes that were started but not named yet. Finds none if the system hides environments.
adopt() {
    local file
    for file in $(grep -lszxF "HOLDFAST_EXEC=$mark" /proc/[0-9]*/environ); do
        file=${file#/proc/}
        command=${file%/environ}
        guarded[command]=${starts[command]:-ended}
    done
}

# Adds the descendants of the guarded processes, by reading the children of each. Fast, whatever else runs on the host.
# A child can be missed while another one ends.
if [ -r /proc/$$/task/$$/children ]; then
    exec {idle}<> <(:)
    gather() {
        local pid file children next queue
        if [ "$mark" ] && [ -z "$command" ]; then
            look
            adopt
        else
            [ ${#guarded[@]} -eq 0 ] || look "${!guarded[@]}"
        fi
        forget
        queue=("${!guarded[@]}")
        while [ ${#queue[@]} -gt 0 ]; do
            next=()
            for pid in "${queue[@]}"; do
                for file in /proc/$pid/task/[0-9]*/children; do
                    children=()
                    read -r -a children 2>/dev/null <"$file"
                    [ ${#children[@]} -eq 0 ] || next+=("${children[@]}")
                done
            done
            queue=()
            for pid in "${next[@]}"; do
                [ -z "${guarded[pid]:-}" ] || continue
                look_too "$pid"
                [ "${starts[pid]:-}" ] || continue
                guarded[pid]=${starts[pid]}
                queue+=("$pid")
            done
        done
    }
else
    gather() {
        walk
    }
fi

# Does the same by a walk through all processes, which takes a second on a busy host.
walk() {
    local pid more=yes
    look
    [ -z "$mark" ] || [ "$command" ] || adopt
    forget
    while [ "$more" ]; do
        more=
        for pid in "${!parents[@]}"; do
            if [ -z "${guarded[pid]:-}" ] && [ -n "${guarded[${parents[pid]}]:-}" ]; then
                guarded[pid]=${starts[pid]}
                more=yes
            fi
        done
    done
}

# Stops each process once, in rounds, because processes may fork in the meantime.
stop_all() {
    local pid more=yes
    sent=()
    gather
    while [ "$more" ]; do
        more=
        for pid in "${!guarded[@]}"; do
            [ -z "${sent[pid]:-}" ] || continue
            sent[pid]=yes
            more=yes
            kill -s STOP "$pid" 2>/dev/null
        done
        gather
    done
}

# Returns 0 if a nested holdfast exec, a descendant of the command, has started the process and passes signals on to it.
is_of_another() {
    local entry entries=()
    [ "$mark" ] && [ "${guarded[${parents[$1]:-0}]:-}" ] || return
    mapfile -d '' -t entries 2>/dev/null <"/proc/$1/environ"
    for entry in "${entries[@]}"; do
        [ "${entry%%=*}" != HOLDFAST_EXEC ] || [ "$entry" = "HOLDFAST_EXEC=$mark" ] || return 0
    done
    return 1
}

# Sends a signal to the processes that are there. One that starts afterwards gets none: it may be the clean-up of a trap. They are
# gathered twice, because a child can be missed while another one ends. A stopped process handles a signal only when it is continued.
pass_on() {
    local pid
    gather
    gather
    for pid in "${!guarded[@]}"; do
        is_of_another "$pid" || {
            kill -s "$1" "$pid"
            kill -s CONT "$pid"
        } 2>/dev/null
    done
    gather # the lock is held until the clean-up has ended, too
}

# Stops the processes first, so that none can fork, or be missed because its parent has died before it. Known processes are
# stopped before others are searched, because a guard that has used its share of a busy processor may have to wait for long.
finish() {
    local pid
    if [ ${#guarded[@]} -gt 0 ]; then
        look "${!guarded[@]}"
        forget
        kill -s STOP "${!guarded[@]}" 2>/dev/null
    fi
    stop_all
    if [ -z "$stopped" ]; then
        clock
        stopped=$now
    fi
    for pid in "${!guarded[@]}"; do
        kill -s KILL "$pid" 2>/dev/null
    done
}

# Reports when the command was stopped, and when it had ended.
report() {
    [ "$killing" ] && [ "$until" ] && [ ${#guarded[@]} -eq 0 ] || return
    clock
    echo "holdfast exec: the guard killed the command: it was stopped $((until - stopped)) ms and gone $((until - now)) ms" \
        "before the lock ended; the guard began $late ms late, and took $((stopped - killing)) ms to stop it" >&2 2>/dev/null
    until=
}

# Returns 0 if a Ctrl-C reaches the command directly, because it is in the foreground of its terminal.
in_foreground() {
    local group front
    read -r group front < <(ps -o pgid= -o tpgid= -p "$1" 2>/dev/null)
    [ -n "$group" ] && [ "$group" = "$front" ]
}

# ---- the dialogue

answer() {
    echo "$1" 2>/dev/null
}

obey() {
    case $1 in
        expect) mark=$2 ;;
        command)
            command=$2
            look "$2"
            guarded[$2]=${starts[$2]:-ended}
            ;;
        valid)
            end=$2 warn=$3 until=$4 warned=
            ;;
        signal)
            [ "$2" = INT ] && in_foreground "$command" || pass_on "$2"
            ;;
        warn) warn_once ;;
        kill) end=0 until= ;;
        over) over=yes ;;
    esac
}

# Runs once, whichever caller notices first that the lock may end.
warn_once() {
    [ -n "$warned" ] || pass_on TERM
    warned=yes
}

act_in_time() {
    clock
    if [ -n "$end" ] && [ "$now" -ge "$end" ]; then
        if [ -z "$killing" ]; then
            killing=$now late=$((now - end))
            finish
            answer killed
        else
            finish
        fi
        report
    elif [ -n "$warn" ] && [ "$now" -ge "$warn" ] && [ -z "$warned" ]; then
        warn_once
        answer warned
    fi
}

leave_if_over() {
    [ "$over$orphaned" ] || return
    clock
    [ -z "$mark" ] || [ "$command$over" ] || [ "$now" -ge "$given_up" ] || return
    [ ${#guarded[@]} -eq 0 ] || look "${!guarded[@]}"
    forget
    if [ ${#guarded[@]} -eq 0 ]; then
        report
        answer gone
        exit 0
    fi
}

# At most a second, because a suspended machine stops the timer, but not the clock.
choose_pause() {
    local next=$((now + 1000)) at
    for at in $end ${warned:-$warn}; do
        [ "$at" = yes ] || [ "$at" -ge "$next" ] || next=$at
    done
    pause=$((next - now))
    [ "$over$orphaned" ] && pause=50
    [ "$killing" ] && pause=10
    [ "$pause" -gt 0 ] || pause=1
    printf -v pause '%d.%03d' $((pause / 1000)) $((pause % 1000))
    [ "${BASH_VERSINFO[0]}" -gt 3 ] || pause=1
}

line=
answer ready
while :; do
    act_in_time
    leave_if_over
    choose_pause
    if [ "$orphaned" ]; then
        [ "$command" ] || pass_on TERM
        if [ "$idle" ]; then
            read -r -t "$pause" -u "$idle"
        else
            sleep "$pause"
        fi
        continue
    fi
    IFS= read -r -t "$pause" part
    status=$?
    # the input that arrived before the timeout is the beginning of the next line; or it is a whole order, because bash may
    # report a timeout although it has read the end of the line
    line=$line$part
    case $line in
        *' ;')
            obey ${line% ;}
            line=
            ;;
    esac
    if [ $status -eq 0 ]; then
        line=
    elif [ $status -le 128 ]; then
        orphaned=yes
        clock
        given_up=$((now + 2000)) # long enough for a process that was being started
        warn_once
    fi
done
