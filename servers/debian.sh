# Read by the scripts beside it. Unpacks packages of Debian into a folder: nothing is installed, and root is not needed. The
# packages are checked against Debian's keys.
#
#   unpack_debian FOLDER SCRIPT PACKAGE...   unpacks into FOLDER/files; SCRIPT is named in errors
unpack_debian() {
    local home=$1 script=$2 tool suite package
    shift 2
    for tool in apt-get dpkg-deb; do
        command -v "$tool" >/dev/null || {
            echo "$script: no $tool here; get the server by other means, and name it as the first lines of $script say" >&2
            exit 1
        }
    done
    local signed=/usr/share/keyrings/debian-archive-keyring.gpg
    [ -r "$signed" ] || {
        echo "$script: no $signed here; install debian-archive-keyring, or get the server by other means" >&2
        exit 1
    }
    rm -rf "$home"
    mkdir -p "$home/apt/lists/partial" "$home/apt/archives/partial" "$home/files"
    touch "$home/apt/status"
    for suite in bookworm bookworm-backports; do
        echo "deb [signed-by=$signed] http://deb.debian.org/debian $suite main"
    done >"$home/apt/sources.list"
    local options=(-qq -o Dir::Etc::SourceList="$home/apt/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State="$home/apt"
        -o Dir::State::Lists="$home/apt/lists" -o Dir::State::Status="$home/apt/status" -o Dir::Cache="$home/apt"
        -o Acquire::Languages=none -o APT::Sandbox::User=root)
    apt-get "${options[@]}" update >&2
    (cd "$home/apt/archives" && apt-get "${options[@]}" download "$@" >&2)
    for package in "$home"/apt/archives/*.deb; do
        dpkg-deb -x "$package" "$home/files"
    done
    rm -rf "$home/apt"
}
