fn main() {
    println!("atlas");
}
