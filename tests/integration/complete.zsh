# zsh -f complete.zsh FOLDER LINE: prints what Tab offers at the end of LINE, one match per line, in an interactive zsh
# that finds completion functions in FOLDER first. Fails if that shell prints an error. Leaves files in FOLDER.
zmodload zsh/zpty
export ZDOTDIR=$1 TERM=dumb
cat > $ZDOTDIR/.zshrc <<'SETUP'
fpath=($ZDOTDIR $fpath)
autoload -Uz compinit && compinit -u
# Calls with -O, -A or -D only filter arrays; the others add matches.
compadd() {
    local -a matches
    if ((! ${@[(I)-[OAD]*]})); then
        builtin compadd -A matches "$@"
        print -rl -- $matches >> $ZDOTDIR/matches
    fi
    builtin compadd "$@"
}
complete_and_exit() { zle complete-word; exit }
zle -N complete_and_exit && bindkey '^I' complete_and_exit
SETUP
: > $ZDOTDIR/matches
zpty shell "zsh -d -i 2> '$ZDOTDIR/errors'"
zpty -w -n shell "$2"$'\t'
while zpty -r shell line; do :; done
grep . $ZDOTDIR/matches | sort -u
cat $ZDOTDIR/errors >&2
[[ ! -s $ZDOTDIR/errors ]]
